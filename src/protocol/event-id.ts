import { TurnkeepError } from "./turnkeep-error.ts";

/** Names one event of one run: what a client sends to go on reading after it. */
export type EventId = {
  readonly runId: string;
  /** The event's number in its run, from 1. */
  readonly seq: number;
};

// As long as an id of a run in a session of the longest name.
const RUN_ID = /^[A-Za-z0-9._~-]{1,800}$/;
const SEQ = /^[1-9][0-9]{0,15}$/;

/**
 * The id as it stands in an SSE `id` field: `<runId>.<seq>`.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when the run id or the number could not be read back.
 */
export function formatEventId({ runId, seq }: EventId): string {
  const isSound = isRunId(runId) && Number.isSafeInteger(seq) && seq > 0;
  return isSound ? `${runId}.${seq}` : refuseEventId();
}

/**
 * The run and the number an event id names. The last dot parts them, so a run id may hold dots.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when the text is no event id.
 */
export function parseEventId(text: string): EventId {
  if (typeof text !== "string") refuseEventId();
  const dot = text.lastIndexOf(".");
  const runId = text.slice(0, Math.max(dot, 0));
  const digits = text.slice(dot + 1);
  const seq = SEQ.test(digits) ? Number(digits) : 0;
  return isRunId(runId) && seq > 0 && Number.isSafeInteger(seq) ? { runId, seq } : refuseEventId();
}

function isRunId(runId: unknown): boolean {
  return typeof runId === "string" && RUN_ID.test(runId);
}

function refuseEventId(): never {
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    "An event id must be a run id of letters, digits, dots, dashes, tildes and underscores, a dot, and a whole number from 1.",
  );
}
