import type { Timers } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";

export interface TimeBound {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly timers: Timers;
}

/**
 * Waits for work no longer than until the signal aborts or the time is over, whether or not the work heeds it.
 *
 * @throws the signal's own reason, or TurnkeepError DEADLINE_EXCEEDED.
 */
export async function withinTime<Result>(
  work: () => Promise<Result>,
  { signal, timeoutMs, timers }: TimeBound,
): Promise<Result> {
  signal.throwIfAborted();
  const done = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), {
      once: true,
      signal: done.signal,
    });
  });
  const late = timers.sleep(timeoutMs, { signal: done.signal, inBackground: true }).then(
    () => Promise.reject(tooLate(timeoutMs)),
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([work(), stopped, late]);
  } finally {
    done.abort();
  }
}

function tooLate(timeoutMs: number): TurnkeepError {
  return new TurnkeepError("DEADLINE_EXCEEDED", `The turn took longer than ${timeoutMs} ms.`, {
    reason: "LIMIT_EXCEEDED",
  });
}
