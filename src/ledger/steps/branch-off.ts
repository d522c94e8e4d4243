import type { ContentChange } from "../content-change.ts";
import { changedRecord } from "../fresh-record.ts";
import { nextOnBranch, placeContent } from "../place-content.ts";
import { snapshotKey } from "../row-key.ts";
import { isContinuable, type Snapshot, type SnapshotEnd } from "../snapshot.ts";
import { findSnapshot, snapshotRow } from "../snapshot-row.ts";
import { addsOne, livingRecord, type Step } from "../step.ts";
import { turnInTheWay } from "../turn-phase.ts";

export interface BranchRequest {
  readonly snapshotId: string;
  readonly parentId: string;
  /** From the parent's content to the edited one. */
  readonly change: ContentChange;
}

export type BranchAnswer =
  | { readonly kind: "branched"; readonly snapshot: Snapshot }
  | { readonly kind: "no-such-parent" }
  | { readonly kind: "parent-not-continuable"; readonly status: SnapshotEnd }
  /** A turn runs or waits, and would go on from another head than it was told. */
  | { readonly kind: "busy" };

/** Adds a snapshot that no turn made behind any snapshot of an idle session. It becomes the head; its parent stays as it is. */
export function branchOff({ snapshotId, parentId, change }: BranchRequest): Step<BranchAnswer> {
  const own = snapshotKey(snapshotId);
  const next = nextOnBranch(change);
  const rows = [snapshotKey(parentId), ...(next === undefined ? [] : [next])];
  return {
    want: () => ({ rows }),
    decide: (view) => {
      const record = livingRecord(view.record);
      const parent = findSnapshot(view, parentId);
      if (record === null || parent === undefined) return { answer: { kind: "no-such-parent" } };
      if (!isContinuable(parent)) {
        return { answer: { kind: "parent-not-continuable", status: parent.status } };
      }
      const isBusy = turnInTheWay(record.active, view.now) !== null || record.queue.length > 0;
      if (isBusy) return { answer: { kind: "busy" } };
      const placed = placeContent(change, {
        next: next === undefined || view.rows.has(next) ? undefined : next,
        newBranch: record.branches + 1,
      });
      const snapshot: Snapshot = {
        snapshotId,
        parentId,
        status: "completed",
        createdAt: view.now,
        updatedAt: view.now,
        rev: record.rev + 1,
        ...placed.stored,
      };
      return {
        answer: { kind: "branched", snapshot },
        change: {
          record: changedRecord(record, {
            rev: snapshot.rev,
            head: snapshotId,
            chain: [[own, own], ...placed.stored.chain],
            branches: record.branches + (placed.opensBranch ? 1 : 0),
            counts: placed.stored.counts,
            updatedAt: view.now,
          }),
          put: [snapshotRow(snapshot), ...(placed.row ? [placed.row] : [])],
        },
        witnesses: [own, ...(placed.row ? [placed.row.key] : [])],
      };
    },
    adds: addsOne,
  };
}
