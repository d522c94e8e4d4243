import { type EndRunAnswer, SessionHints, type UnsavedRest } from "../ledger/index.ts";
import { type RuntimeError, TurnkeepError } from "../protocol/index.ts";
import { isPassing } from "./is-passing.ts";
import type { StoredRunOptions } from "./stored-run-options.ts";
import { toRuntimeError } from "./to-runtime-error.ts";

// Hints may be lost, and a slot may become free by the passing of time alone.
const LONGEST_WAIT_MS = 250;
const MAX_FAILURES = 8;

/**
 * Ends a run with what it changed after its last turn. Waits for turns of others: they may leave the session as it is.
 *
 * @throws what the store refuses it with.
 */
export async function endWith(
  { ledger, key, runId }: StoredRunOptions,
  rest: UnsavedRest,
): Promise<EndRunAnswer> {
  const stop = new AbortController();
  const { store, ports } = ledger;
  const hints = new SessionHints(key, { store, ports, signal: stop.signal });
  try {
    for (let failures = 0; ;) {
      const answer = await ledger.endRun(key, runId, rest).catch((error: unknown) => {
        failures += 1;
        if (failures > MAX_FAILURES || !isPassing(error)) throw error;
      });
      if (answer && answer.kind !== "busy") return answer;
      await hints.next(LONGEST_WAIT_MS);
    }
  } finally {
    stop.abort(null);
  }
}

/** How a run came out whose last changes could not be saved. */
export function restNotSaved(sessionId: string): {
  readonly finishReason: "failed";
  readonly error: RuntimeError;
} {
  const error = new TurnkeepError(
    "ABORTED",
    `Session "${sessionId}" has moved on: what the run changed since its last snapshot was not saved. Save its turns, or change the state within one.`,
    { reason: "STALE_HEAD" },
  );
  return { finishReason: "failed", error: toRuntimeError(error) };
}
