import type { Worker } from "bullmq";
import type { Clock, Timers } from "../../ledger/index.ts";

const MOST_ERRORS = 20;
const WITHIN_MS = 1000;
const REST_MS = 1000;

/**
 * Lets a worker rest for a moment when it meets one error after another. BullMQ waits before it tries again only when it knows that the connection is
 * lost; a server that refuses every command, or whose tables are gone, it asks thousands of times a second.
 */
export function restInStorms(
  worker: Worker,
  { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
): void {
  let errors = 0;
  let since = -Infinity;
  worker.on("error", () => {
    if (clock.now() - since > WITHIN_MS) {
      since = clock.now();
      errors = 0;
    }
    errors += 1;
    if (errors !== MOST_ERRORS || worker.isPaused()) return;
    void worker.pause(true);
    timers.after(REST_MS, () => void worker.resume());
  });
}
