import type { AcceptAnswer } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { RESUMABLE } from "./get-continuable.ts";
import { toPublicId } from "./public-id.ts";

type Refusal = Exclude<AcceptAnswer, { readonly kind: "accepted" }>;

/** Why an input was not taken in, and what to do about it. */
export function acceptError(answer: Refusal, sessionId: string): TurnkeepError {
  const explain = ERRORS[answer.kind] as (answer: Refusal, sessionId: string) => TurnkeepError;
  return explain(answer, sessionId);
}

const ERRORS: {
  readonly [Kind in Refusal["kind"]]: (
    answer: Extract<Refusal, { readonly kind: Kind }>,
    sessionId: string,
  ) => TurnkeepError;
} = {
  busy: (answer, sessionId) =>
    new TurnkeepError(
      "ABORTED",
      `Session "${sessionId}" is busy with another turn. Wait for it, attach to it, or send with onBusy "queue" or "interrupt".`,
      { reason: "SESSION_BUSY", retryable: true, details: turnDetails(answer, sessionId) },
    ),
  "queue-full": ({ length }, sessionId) =>
    new TurnkeepError(
      "RESOURCE_EXHAUSTED",
      `Session "${sessionId}" has ${length} inputs waiting already. Send again when some are done.`,
      { reason: "QUEUE_FULL", retryable: true, details: { length } },
    ),
  "stale-head": ({ head }, sessionId) =>
    new TurnkeepError("ABORTED", `Session "${sessionId}" has moved on since. Load it again.`, {
      reason: "STALE_HEAD",
      details: { head: head === null ? null : toPublicId({ sessionId, id: head }) },
    }),
  "request-mismatch": () =>
    new TurnkeepError(
      "INVALID_ARGUMENT",
      "This request id was used for another input. Use a new one.",
      { reason: "IDEMPOTENCY_MISMATCH" },
    ),
  repeated: (answer, sessionId) =>
    new TurnkeepError("ALREADY_EXISTS", "This request was accepted before.", {
      details: turnDetails(answer, sessionId),
    }),
  "metadata-too-long": ({ limit }, sessionId) => metadataTooLong(sessionId, limit),
  "no-such-parent": () =>
    new TurnkeepError("NOT_FOUND", "The snapshot to start from was not found in its session."),
  "parent-not-continuable": ({ status }) =>
    new TurnkeepError(
      "INVALID_ARGUMENT",
      `The snapshot is not resumable (status: ${status}). ${RESUMABLE}`,
      { reason: "NOT_CONTINUABLE" },
    ),
  "run-over": () =>
    new TurnkeepError("FAILED_PRECONDITION", "The run is over: connect again to go on.", {
      reason: "RUN_OVER",
    }),
};

export function metadataTooLong(sessionId: string, limit: number): TurnkeepError {
  return new TurnkeepError(
    "RESOURCE_EXHAUSTED",
    `The metadata of session '${sessionId}' would have more than ${limit} characters of JSON. Remove entries by setting them to null, or note less.`,
    { reason: "LIMIT_EXCEEDED", details: { limit } },
  );
}

function turnDetails(
  { turn: { runId, snapshotId } }: Extract<Refusal, { readonly turn: unknown }>,
  sessionId: string,
): Readonly<Record<string, string>> {
  return {
    runId: toPublicId({ sessionId, id: runId }),
    snapshotId: toPublicId({ sessionId, id: snapshotId }),
  };
}
