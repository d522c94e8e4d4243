import { type EndRunAnswer, SessionHints, type UnsavedRest } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { isPassing } from "./is-passing.ts";
import type { StoredRunOptions } from "./stored-run-options.ts";

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

export function restNotSaved(sessionId: string): TurnkeepError {
  return new TurnkeepError(
    "ABORTED",
    `Session "${sessionId}" has moved on: what the agent changed after its last turn was not saved. Change the state within a turn.`,
    { reason: "STALE_HEAD" },
  );
}
