import type { QueuedTurn } from "../head-record.ts";
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
  /** Events that go before `runEnd`, and the seq of the first, when the caller knows it. */
  readonly events: readonly WritableEvent[];
  readonly seq?: number;
}

/** The last rows of a run: its closing events and its terminal record. */
export function closeRun(view: View, closing: RunClosing): readonly Row[] {
  const { runId, status, reason, events } = closing;
  const seq = closing.seq ?? nextSeqOf(view, runId);
  const end: RunEnd = { status, reason, at: view.now, seq: seq + events.length };
  return [
    eventRow(runId, seq, [...events, { type: "runEnd", status, reason }]),
    jsonRow(endKey(runId), end),
  ];
}

export function abortedTurnEnd({ turn, snapshotId }: QueuedTurn): RunEvent {
  return { type: "turnEnd", turn, snapshotId, status: "aborted", finishReason: "aborted" };
}
