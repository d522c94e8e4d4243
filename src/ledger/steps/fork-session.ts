import type { ContentChange } from "../content-change.ts";
import { freshRecord } from "../fresh-record.ts";
import type { SnapshotOrigin } from "../head-record.ts";
import { placeContent } from "../place-content.ts";
import { snapshotKey } from "../row-key.ts";
import type { Snapshot } from "../snapshot.ts";
import { snapshotRow } from "../snapshot-row.ts";
import { livingRecord, type Step } from "../step.ts";

export interface ForkRequest {
  readonly snapshotId: string;
  readonly change: ContentChange;
  readonly forkedFrom: SnapshotOrigin;
}

export type ForkAnswer =
  | { readonly kind: "forked"; readonly snapshot: Snapshot }
  /** The new session's id is taken. */
  | { readonly kind: "exists" };

/** Starts a session whose first snapshot holds the content of another one's. Erasing either leaves the other whole. */
export function forkSession({ snapshotId, change, forkedFrom }: ForkRequest): Step<ForkAnswer> {
  const placed = placeContent(change, { next: undefined, newBranch: 1 });
  const own = snapshotKey(snapshotId);
  return {
    want: () => ({}),
    decide: (view) => {
      if (livingRecord(view.record) !== null) return { answer: { kind: "exists" } };
      const snapshot: Snapshot = {
        snapshotId,
        status: "completed",
        createdAt: view.now,
        updatedAt: view.now,
        rev: 1,
        forkedFrom,
        stateVersion: change.content.stateVersion,
        ...placed.stored,
      };
      return {
        answer: { kind: "forked", snapshot },
        change: {
          record: {
            ...freshRecord(view.record, view.now),
            rev: 1,
            head: snapshotId,
            chain: [[own, own], ...placed.stored.chain],
            branches: 1,
            counts: placed.stored.counts,
            forkedFrom,
          },
          put: [snapshotRow(snapshot), ...(placed.row ? [placed.row] : [])],
        },
        witnesses: [own],
      };
    },
  };
}
