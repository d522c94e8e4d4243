import type { Timers } from "../ledger/index.ts";
import { isPassing } from "./is-passing.ts";

const LONGEST_PAUSE_MS = 1000;

/** Does something to a store, again a few times while it is away; after some seconds it lets that be. */
export async function tryWhileAway(work: () => Promise<unknown>, timers: Timers): Promise<void> {
  for (let pauseMs = 10; pauseMs < 2 * LONGEST_PAUSE_MS; pauseMs *= 2) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    await timers.sleep(pauseMs);
  }
}
