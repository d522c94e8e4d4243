import type { AgentFinishReason, RuntimeError } from "../../protocol/index.ts";
import type { ContentChange } from "../content-change.ts";
import { changedRecord } from "../fresh-record.ts";
import type { HeadRecord } from "../head-record.ts";
import { nextOnBranch, placeContent } from "../place-content.ts";
import { endKey, eventPrefix, runKey, snapshotKey } from "../row-key.ts";
import type { RunEnd } from "../run-event.ts";
import type { View } from "../session-store.ts";
import type { Snapshot, SnapshotEnd } from "../snapshot.ts";
import { snapshotRow } from "../snapshot-row.ts";
import { addsOne, type Decision, findRow, livingRecord, type Step } from "../step.ts";
import { turnInTheWay } from "../turn-phase.ts";
import { closeRun } from "./close-run.ts";

/** What a run changed after its last turn, to be saved as it ends. */
export interface RunRest {
  /** Reserved for its snapshot. */
  readonly snapshotId: string;
  /** The snapshot that it builds on, and the head when it was left there. */
  readonly parentId: string | undefined;
  readonly head: string | null;
  readonly change: ContentChange;
  readonly status: "completed" | "failed";
  readonly finishReason?: AgentFinishReason | undefined;
  readonly error?: RuntimeError | undefined;
}

export type EndRunAnswer =
  | { readonly kind: "ended"; readonly status: SnapshotEnd }
  /** It has ended, and what was left to save is the head now. */
  | { readonly kind: "saved"; readonly snapshot: Snapshot }
  /** A turn of it still runs or waits; or, when there is something to save, any turn of the session. */
  | { readonly kind: "busy" }
  /** The session has moved on from what there was to save. */
  | { readonly kind: "moved"; readonly head: string | null }
  | { readonly kind: "none" };

/** Ends a run that is between two turns: nothing more will be said in it. What it changed since is saved in the same commit, also when the run ended with its last turn. */
export function endRun(runId: string, rest?: RunRest): Step<EndRunAnswer> {
  const next = rest && nextOnBranch(rest.change);
  const rows = [runKey(runId), endKey(runId), ...(next === undefined ? [] : [next])];
  return {
    want: () => ({ rows, tails: [eventPrefix(runId)] }),
    decide: (view) => {
      const record = livingRecord(view.record);
      const end = findRow<RunEnd>(view, endKey(runId));
      // What others have ended stays as they left it.
      const isOver = end !== undefined && (rest === undefined || end.reason !== undefined);
      if (isOver) return { answer: { kind: "ended", status: end.status } };
      if (record === null || !view.rows.has(runKey(runId))) return { answer: { kind: "none" } };
      if (rest)
        return saveRest(view, { record, next, hasEnded: end !== undefined }, { runId, rest });
      const busy = [record.active, ...record.queue].some((turn) => turn?.runId === runId);
      if (busy) return { answer: { kind: "busy" } };
      return {
        answer: { kind: "ended", status: "completed" },
        change: { record, put: closeRun(view, { runId, status: "completed", events: [] }) },
        witnesses: [endKey(runId)],
      };
    },
    adds: rest && addsOne,
  };
}

interface EndingRun {
  readonly record: HeadRecord;
  /** Where the content would be stored. */
  readonly next: string | undefined;
  readonly hasEnded: boolean;
}

function saveRest(
  view: View,
  { record, next, hasEnded }: EndingRun,
  { runId, rest }: { readonly runId: string; readonly rest: RunRest },
): Decision<EndRunAnswer> {
  const { snapshotId, parentId, change, status, finishReason, error } = rest;
  const isBusy = turnInTheWay(record.active, view.now) !== null || record.queue.length > 0;
  if (isBusy) return { answer: { kind: "busy" } };
  if (record.head !== rest.head) return { answer: { kind: "moved", head: record.head } };
  const placed = placeContent(change, {
    next: next === undefined || view.rows.has(next) ? undefined : next,
    newBranch: record.branches + 1,
  });
  const stored = placed.row ? [placed.row] : [];
  const closing = hasEnded ? [] : closeRun(view, { runId, status, snapshotId, events: [] });
  const own = snapshotKey(snapshotId);
  const snapshot: Snapshot = {
    snapshotId,
    parentId,
    runId,
    status,
    finishReason,
    error,
    createdAt: view.now,
    updatedAt: view.now,
    rev: record.rev + 1,
    stateVersion: change.content.stateVersion,
    ...placed.stored,
  };
  return {
    answer: { kind: "saved", snapshot },
    change: {
      record: changedRecord(record, {
        rev: snapshot.rev,
        head: snapshotId,
        chain: [[own, own], ...placed.stored.chain],
        branches: record.branches + (placed.opensBranch ? 1 : 0),
        counts: placed.stored.counts,
        updatedAt: view.now,
      }),
      put: [snapshotRow(snapshot), ...stored, ...closing],
    },
    // The snapshot may be pruned by the next commit; the others stay for a while.
    witnesses: [own, ...[...stored, ...closing].map(({ key }) => key)],
  };
}
