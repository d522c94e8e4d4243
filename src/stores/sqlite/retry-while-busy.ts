import { setTimeout } from "node:timers/promises";
import { isBusy, toStoreError } from "./to-store-error.ts";

// Together with what SQLite waits itself at every attempt, about five seconds.
const MAX_ATTEMPTS = 55;
const PAUSES_MS = [1, 2, 5, 10, 20, 40];
const LONGEST_PAUSE_MS = 75;

/**
 * Does the work, and does it again as long as another process holds the lock: the waiting is spread over pauses in
 * which the event loop is free. The work must leave nothing behind when it fails.
 *
 * @throws TurnkeepError UNAVAILABLE, retryable, with reason STORE_BUSY when the lock is not to be had.
 */
export async function retryWhileBusy<Result>(work: () => Result): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || attempt >= MAX_ATTEMPTS) throw toStoreError(error);
    }
    await setTimeout(PAUSES_MS[attempt - 1] ?? LONGEST_PAUSE_MS);
  }
}
