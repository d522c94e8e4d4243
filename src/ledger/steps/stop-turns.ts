import type { Json } from "../../protocol/index.ts";
import { withTurns } from "../fresh-record.ts";
import { type HeadRecord, inputNumbers, type QueuedTurn } from "../head-record.ts";
import { eventPrefix, inputKey } from "../row-key.ts";
import { type EndReason, eventRow, nextSeqOf } from "../run-event.ts";
import type { Row, View, Want } from "../session-store.ts";
import { contentOfProgress, type Snapshot } from "../snapshot.ts";
import { snapshotRow } from "../snapshot-row.ts";
import { findRow } from "../step.ts";
import { abortedTurnEnds, closeRun } from "./close-run.ts";

export interface Stop {
  readonly turns: readonly QueuedTurn[];
  readonly reason: EndReason;
  /** A run that goes on although turns of it stop. */
  readonly runGoingOn?: string;
}

/** What a turn was given, with who asked. */
export interface InputRow {
  readonly input: Json;
  readonly principal?: string | undefined;
}

/** The turns that run or wait and have not been stopped yet. */
export function openTurns({ active, queue }: HeadRecord): readonly QueuedTurn[] {
  return active === null || active.stopping ? queue : [active, ...queue];
}

export function wantForStop(turns: readonly QueuedTurn[]): Required<Pick<Want, "rows" | "tails">> {
  return {
    rows: turns.flatMap((turn) => inputNumbers(turn).map((number) => inputKey(turn.runId, number))),
    tails: turns.map(({ runId }) => eventPrefix(runId)),
  };
}

/**
 * Ends the turns, and their runs, as aborted. The one that holds the slot keeps it until its worker lets go or its lease runs
 * out, so that the next turn never overlaps with it; the higher epoch takes its right to write at once.
 */
export function stopTurns(
  view: View,
  record: HeadRecord,
  stop: Stop,
): { readonly record: HeadRecord; readonly put: readonly Row[] } {
  const stopped = new Set(stop.turns.map(({ snapshotId }) => snapshotId));
  const { active } = record;
  const stopsActive = active !== null && stopped.has(active.snapshotId);
  const queue = record.queue.filter(({ snapshotId }) => !stopped.has(snapshotId));
  const runs = [...new Set(stop.turns.map(({ runId }) => runId))];
  return {
    record: {
      ...withTurns(record, stopsActive ? { ...active, stopping: true } : active, queue),
      rev: record.rev + stop.turns.length,
      epoch: stopsActive ? record.epoch + 1 : record.epoch,
      updatedAt: view.now,
    },
    put: [
      ...abortedSnapshots(view, record, stop.turns),
      ...runs.flatMap((runId) => stopRun(view, runId, stop)),
    ],
  };
}

/** The terminal rows of turns that end without a result. They keep what they were given, and what they had made of it: nothing acknowledged is lost. */
export function abortedSnapshots(
  view: View,
  record: HeadRecord,
  turns: readonly QueuedTurn[],
): readonly Row[] {
  return turns.map((turn, index) => {
    const parentId = turn.parentId ?? record.head;
    const input = givenTo(view, turn);
    const snapshot: Snapshot = {
      snapshotId: turn.snapshotId,
      ...(parentId !== null && { parentId }),
      runId: turn.runId,
      turn: turn.turn,
      status: "aborted",
      finishReason: "aborted",
      createdAt: turn.since,
      updatedAt: view.now,
      rev: record.rev + index + 1,
      ...(input !== undefined && { input }),
      ...contentOfProgress(turn.progress),
    };
    return snapshotRow(snapshot);
  });
}

/** What the turn was given: its input, or the list of them. */
export function givenTo(view: View, turn: QueuedTurn): Json | undefined {
  const inputs = inputNumbers(turn).flatMap((number) => {
    const row = findRow<InputRow>(view, inputKey(turn.runId, number));
    return row === undefined ? [] : [row.input];
  });
  return inputs.length > 1 ? inputs : inputs[0];
}

function stopRun(view: View, runId: string, { turns, reason, runGoingOn }: Stop): readonly Row[] {
  const events = turns.filter((turn) => turn.runId === runId).flatMap(abortedTurnEnds);
  if (runId === runGoingOn) return [eventRow(runId, nextSeqOf(view, runId), events)];
  return closeRun(view, { runId, status: "aborted", reason, events });
}
