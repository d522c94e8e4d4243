import type { AgentFinishReason, Json, JsonObject, RuntimeError } from "../protocol/index.ts";
import { eventKey, eventPrefix, seqOfEventKey } from "./row-key.ts";
import type { Row, View } from "./session-store.ts";
import type { SnapshotEnd } from "./snapshot.ts";
import type { SnapshotDelta } from "./snapshot-delta.ts";

/** One element of a run's log. The ledger itself writes `restarted`, `turnEnd` and `runEnd`; the rest is its caller's. */
export type RunEvent = StartedEvent | RestartedEvent | TurnEndEvent | RunEndEvent | OtherEvent;

/** A turn begins, of an agent whose state is transformed for its clients: transforms decide by what it starts from. */
export interface StartedEvent {
  readonly type: "started";
  readonly turn: number;
  /** The snapshot that the content builds on; absent when the event holds all of it. */
  readonly parentId?: string | undefined;
  /** What the input, an initial state or a migration adds to it. */
  readonly delta?: SnapshotDelta | undefined;
  readonly stateVersion?: number | undefined;
}

/** Another worker took the turn over: what it had streamed so far no longer counts. */
export interface RestartedEvent {
  readonly type: "restarted";
  readonly turn: number;
  readonly attempt: number;
  readonly epoch: number;
  /** Names the claim, so that of two workers who tried, each can tell whose event it is. */
  readonly claimId: string;
}

export interface TurnEndEvent {
  readonly type: "turnEnd";
  readonly turn: number;
  /** Absent when the turn left no snapshot. */
  readonly snapshotId?: string | undefined;
  readonly status: SnapshotEnd;
  readonly finishReason?: AgentFinishReason | undefined;
  readonly error?: RuntimeError | undefined;
}

/** The last event of its run. */
export interface RunEndEvent {
  readonly type: "runEnd";
  readonly status: SnapshotEnd;
  readonly reason?: EndReason | undefined;
  /** The snapshot of what changed after the last turn. */
  readonly snapshotId?: string | undefined;
}

export interface OtherEvent {
  readonly type: "chunk" | "step" | "moved";
  readonly [field: string]: Json | undefined;
}

/** Why a run ended otherwise than by its own doing. */
export type EndReason = "abort" | "superseded" | "attempts-exhausted" | "abandoned";

/** The terminal record of a run. */
export interface RunEnd {
  readonly status: SnapshotEnd;
  readonly reason?: EndReason | undefined;
  readonly at: number;
  /** The seq of its `runEnd` event. */
  readonly seq: number;
}

/** An event to write: what it says, or its JSON where somebody made it already. */
export type WritableEvent = RunEvent | string;

// JSON has line breaks only where somebody puts them, so that events can be told apart without being looked into.
export const ROW_START = "[\n";
export const SEPARATOR = ",\n";
export const ROW_END = "\n]";

/** Events are written in batches; a row is named after its first event. */
export function eventRow(runId: string, seq: number, events: readonly WritableEvent[]): Row {
  const texts = events.map((event) => (typeof event === "string" ? event : JSON.stringify(event)));
  return { key: eventKey(runId, seq), value: `${ROW_START}${texts.join(SEPARATOR)}${ROW_END}` };
}

// A row is read as a whole, by each reader who wants one of its events.
const MOST_ROW_CHARACTERS = 64 * 1024;

/** A batch in as many rows as keep each of them small; one, as a rule. */
export function eventRows(
  runId: string,
  seq: number,
  events: readonly WritableEvent[],
): readonly Row[] {
  const whole = eventRow(runId, seq, events);
  const count = Math.min(events.length, Math.ceil(whole.value.length / MOST_ROW_CHARACTERS));
  if (count <= 1) return [whole];
  const size = Math.ceil(events.length / count);
  return Array.from({ length: Math.ceil(events.length / size) }, (_, index) =>
    eventRow(runId, seq + index * size, events.slice(index * size, (index + 1) * size)),
  );
}

/** Where the event after `seq` is, at the latest: its row may begin earlier. */
export function eventKeyBefore(runId: string, seq: number): string {
  return eventKey(runId, seq + 1);
}

export interface NumberedEvent {
  readonly seq: number;
  readonly event: RunEvent;
}

export function eventsOfRow({ key, value }: Row): readonly NumberedEvent[] {
  const first = seqOfEventKey(key);
  return (JSON.parse(value) as RunEvent[]).map((event, index) => ({ seq: first + index, event }));
}

/** The seq that the run's next event will have. */
export function nextSeqOf(view: View, runId: string): number {
  const tail = view.tails.get(eventPrefix(runId));
  if (tail === undefined) return 1;
  return seqOfEventKey(tail.key) + (JSON.parse(tail.value) as JsonObject[]).length;
}
