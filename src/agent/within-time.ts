import type { Timers } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import type { Stop } from "./stop-switch.ts";

export interface TimeBound {
  readonly stop: Stop;
  readonly timeoutMs: number;
  readonly timers: Timers;
  /** The time that runs already, where it began before the work could. */
  readonly running?: RunningTime | undefined;
}

/** A time that began before it was known who must be told when it is over. */
export class RunningTime {
  readonly callOff: () => void;
  #late: () => void;
  #isOver = false;

  constructor({ timeoutMs, timers }: Omit<TimeBound, "stop">, late: (error: unknown) => void) {
    this.#late = () => late(tooLate(timeoutMs));
    this.callOff = timers.after(timeoutMs, () => {
      this.#isOver = true;
      this.#late();
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Tells another one instead. Returns how to call that off. */
  handTo(late: () => void): () => void {
    this.#late = late;
    return this.callOff;
  }
}

/**
 * Waits for work no longer than until it is stopped or the time is over, whether or not the work heeds it.
 *
 * @throws the reason of the stop, or TurnkeepError DEADLINE_EXCEEDED.
 */
export function withinTime<Result>(
  work: () => Promise<Result>,
  { stop, timeoutMs, timers, running }: TimeBound,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (stop.isStopped) throw stop.reason;
    if (running?.isOver) throw tooLate(timeoutMs);
    const late = (): void => reject(tooLate(timeoutMs));
    const callOff = running ? running.handTo(late) : timers.after(timeoutMs, late);
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
