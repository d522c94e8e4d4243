import { setTimeout } from "node:timers/promises";
import { TurnkeepError } from "../../src/ledger/index.ts";

const MOST_PATIENCE_MS = 60_000;

/** Tries again while the store is only busy or away: for a while, but not for ever. */
export async function insistently<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  const begunAt = Date.now();
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const isHopeless = Date.now() - begunAt > MOST_PATIENCE_MS;
      if (!TurnkeepError.is(error) || !error.retryable || isHopeless) throw error;
      await setTimeout(30);
    }
  }
}
