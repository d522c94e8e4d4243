import { endKey, eventPrefix, runKey } from "../row-key.ts";
import type { RunEnd } from "../run-event.ts";
import type { SnapshotEnd } from "../snapshot.ts";
import { findRow, livingRecord, type Step } from "../step.ts";
import { closeRun } from "./close-run.ts";

export type EndRunAnswer =
  | { readonly kind: "ended"; readonly status: SnapshotEnd }
  /** A turn of it still runs or waits. */
  | { readonly kind: "busy" }
  | { readonly kind: "none" };

/** Ends a run that is between two turns: nothing more will be said in it. */
export function endRun(runId: string): Step<EndRunAnswer> {
  return {
    want: () => ({ rows: [runKey(runId), endKey(runId)], tails: [eventPrefix(runId)] }),
    decide: (view) => {
      const record = livingRecord(view.record);
      const end = findRow<RunEnd>(view, endKey(runId));
      if (end) return { answer: { kind: "ended", status: end.status } };
      if (record === null || !view.rows.has(runKey(runId))) return { answer: { kind: "none" } };
      const busy = [record.active, ...record.queue].some((turn) => turn?.runId === runId);
      if (busy) return { answer: { kind: "busy" } };
      return {
        answer: { kind: "ended", status: "completed" },
        change: { record, put: closeRun(view, { runId, status: "completed", events: [] }) },
        witnesses: [endKey(runId)],
      };
    },
  };
}
