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
  let stop = nothing;
  let callOff = nothing;
  const bound = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    callOff = timers.after(timeoutMs, () => reject(tooLate(timeoutMs)));
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work(), bound]);
  } finally {
    callOff?.();
    if (stop) signal.removeEventListener("abort", stop);
  }
}

function tooLate(timeoutMs: number): TurnkeepError {
  return new TurnkeepError("DEADLINE_EXCEEDED", `The turn took longer than ${timeoutMs} ms.`, {
    reason: "LIMIT_EXCEEDED",
  });
}

function nothing(): void {}
