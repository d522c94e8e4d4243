import type { Timers } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import type { Stop } from "./stop-switch.ts";

export interface TimeBound {
  readonly stop: Stop;
  readonly timeoutMs: number;
  readonly timers: Timers;
}

/**
 * Waits for work no longer than until it is stopped or the time is over, whether or not the work heeds it.
 *
 * @throws the reason of the stop, or TurnkeepError DEADLINE_EXCEEDED.
 */
export function withinTime<Result>(
  work: () => Promise<Result>,
  { stop, timeoutMs, timers }: TimeBound,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (stop.isStopped) throw stop.reason;
    const callOff = timers.after(timeoutMs, () => reject(tooLate(timeoutMs)));
    const forget = stop.onStop(reject);
    const settleBy =
      <Value>(settle: (value: Value) => void) =>
      (value: Value): void => {
        callOff();
        forget();
        settle(value);
      };
    work().then(settleBy(resolve), settleBy(reject));
  });
}

function tooLate(timeoutMs: number): TurnkeepError {
  return new TurnkeepError("DEADLINE_EXCEEDED", `The turn took longer than ${timeoutMs} ms.`, {
    reason: "LIMIT_EXCEEDED",
  });
}
