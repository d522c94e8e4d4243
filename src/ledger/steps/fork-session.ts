import type { JsonObject } from "../../protocol/index.ts";
import { beginSession } from "../begin-session.ts";
import type { ContentChange } from "../content-change.ts";
import type { SnapshotOrigin } from "../head-record.ts";
import { snapshotKey } from "../row-key.ts";
import type { Snapshot } from "../snapshot.ts";
import { livingRecord, type Step } from "../step.ts";

export interface ForkRequest {
  readonly snapshotId: string;
  readonly change: ContentChange;
  readonly forkedFrom: SnapshotOrigin;
  readonly metadata?: JsonObject;
}

export type ForkAnswer =
  | { readonly kind: "forked"; readonly snapshot: Snapshot }
  /** The new session's id is taken. */
  | { readonly kind: "exists" };

/** Starts a session whose first snapshot holds the content of another one's. Erasing either leaves the other whole. */
export function forkSession(request: ForkRequest): Step<ForkAnswer> {
  return {
    want: () => ({}),
    decide: (view) => {
      if (livingRecord(view.record) !== null) return { answer: { kind: "exists" } };
      const { snapshot, record, put } = beginSession(request, view.record, view.now);
      return {
        answer: { kind: "forked", snapshot },
        change: { record, put },
        witnesses: [snapshotKey(request.snapshotId)],
      };
    },
  };
}
