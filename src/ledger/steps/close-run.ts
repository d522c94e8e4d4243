import { inputNumbers, type QueuedTurn } from "../head-record.ts";
import { endKey } from "../row-key.ts";
import {
  type EndReason,
  eventRow,
  nextSeqOf,
  type RunEnd,
  type RunEvent,
  type WritableEvent,
} from "../run-event.ts";
import type { Row, View } from "../session-store.ts";
import type { SnapshotEnd } from "../snapshot.ts";
import { jsonRow } from "../step.ts";

export interface RunClosing {
  readonly runId: string;
  readonly status: SnapshotEnd;
  readonly reason?: EndReason;
  /** What was saved as it ended, after its last turn. */
  readonly snapshotId?: string;
  /** Events that go before `runEnd`, and the seq of the first, when the caller knows it. */
  readonly events: readonly WritableEvent[];
  readonly seq?: number;
}

/** The last rows of a run: its closing events and its terminal record. */
export function closeRun(view: View, closing: RunClosing): readonly Row[] {
  const { runId, status, reason, snapshotId, events } = closing;
  const seq = closing.seq ?? nextSeqOf(view, runId);
  const end: RunEnd = { status, reason, at: view.now, seq: seq + events.length };
  return [
    eventRow(runId, seq, [...events, { type: "runEnd", status, reason, snapshotId }]),
    jsonRow(endKey(runId), end),
  ];
}

/** The ends of all inputs that an aborted turn has left. The last one names its snapshot. */
export function abortedTurnEnds(turn: QueuedTurn): readonly RunEvent[] {
  const numbers = inputNumbers(turn);
  return numbers.map((number) =>
    abortedTurnEnd(number, number === numbers.at(-1) ? turn.snapshotId : undefined),
  );
}

/** The ends of the inputs that waited behind the one that a turn ended with. */
export function unheardTurnEnds(turn: QueuedTurn): readonly RunEvent[] {
  return inputNumbers(turn)
    .slice(1)
    .map((number) => abortedTurnEnd(number, undefined));
}

function abortedTurnEnd(turn: number, snapshotId: string | undefined): RunEvent {
  return { type: "turnEnd", turn, snapshotId, status: "aborted", finishReason: "aborted" };
}
