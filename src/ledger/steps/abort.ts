import type { HeadRecord, QueuedTurn } from "../head-record.ts";
import { endKey, eventPrefix, runKey, snapshotKey, turnKey } from "../row-key.ts";
import type { RunEnd } from "../run-event.ts";
import type { View } from "../session-store.ts";
import type { SnapshotEnd } from "../snapshot.ts";
import { findSnapshot } from "../snapshot-row.ts";
import { type Decision, findRow, livingRecord, type Step } from "../step.ts";
import { findUnsaved } from "../unsaved-turn.ts";
import { closeRun } from "./close-run.ts";
import { openTurns, stopTurns, wantForStop } from "./stop-turns.ts";

/** A run, named by itself or by the snapshot that a turn of it will end in. */
export type AbortTarget = { readonly runId: string } | { readonly snapshotId: string };

export type AbortAnswer =
  | { readonly kind: "aborted"; readonly runId: string }
  /** It had ended before, in this way. */
  | { readonly kind: "ended"; readonly status: SnapshotEnd }
  | { readonly kind: "none" };

/** Ends a run, whether it runs, waits or is between two turns. One commit: the answer, the rows and the events agree. */
export function abort(target: AbortTarget): Step<AbortAnswer> {
  return {
    want: (record) => {
      const turns = record ? turnsOf(record, target) : [];
      const { rows, tails } = wantForStop(turns);
      if ("snapshotId" in target) {
        const { snapshotId } = target;
        return { rows: [...rows, snapshotKey(snapshotId), turnKey(snapshotId)], tails };
      }
      const { runId } = target;
      return {
        rows: [...rows, runKey(runId), endKey(runId)],
        tails: [...tails, eventPrefix(runId)],
      };
    },
    decide: (view) => {
      const record = livingRecord(view.record);
      if (record === null) return { answer: { kind: "none" } };
      const turns = turnsOf(record, target);
      const first = turns[0];
      if (first === undefined) return abortIdle(view, record, target);
      return {
        answer: { kind: "aborted", runId: first.runId },
        change: stopTurns(view, record, { turns, reason: "abort" }),
        witnesses: [snapshotKey(first.snapshotId), endKey(first.runId)],
      };
    },
    adds: (record) => turnsOf(record, target).length,
  };
}

function turnsOf(record: HeadRecord, target: AbortTarget): readonly QueuedTurn[] {
  const turns = openTurns(record);
  const runId =
    "runId" in target
      ? target.runId
      : turns.find((turn) => turn.snapshotId === target.snapshotId)?.runId;
  return turns.filter((turn) => turn.runId === runId);
}

function abortIdle(view: View, record: HeadRecord, target: AbortTarget): Decision<AbortAnswer> {
  const ended =
    "snapshotId" in target
      ? (findSnapshot(view, target.snapshotId) ?? findUnsaved(view, target.snapshotId))
      : findRow<RunEnd>(view, endKey(target.runId));
  if (ended) return { answer: { kind: "ended", status: ended.status } };
  if ("snapshotId" in target || !view.rows.has(runKey(target.runId)))
    return { answer: { kind: "none" } };
  const { runId } = target;
  return {
    answer: { kind: "aborted", runId },
    change: {
      record: { ...record, updatedAt: view.now },
      put: closeRun(view, { runId, status: "aborted", reason: "abort", events: [] }),
    },
    witnesses: [endKey(runId)],
  };
}
