import type { Clock, Timers } from "../../../src/ledger/index.ts";

/** A process, as far as its timers go: while it is frozen none of them fires. */
export interface VirtualProcess {
  isFrozen: boolean;
}

interface Timer {
  readonly at: number;
  readonly call: () => void;
  readonly owner: VirtualProcess;
}

/** Time that passes when it is told to, for several processes. */
export class VirtualTime {
  readonly #timers = new Set<Timer>();
  #now = 1_700_000_000_000;

  readonly clock: Clock = { now: () => this.#now };

  timersOf(owner: VirtualProcess): Timers {
    const after = (milliseconds: number, call: () => void): (() => void) => {
      const timer = { at: this.#now + milliseconds, call, owner };
      this.#timers.add(timer);
      return () => void this.#timers.delete(timer);
    };
    const sleep: Timers["sleep"] = (milliseconds, { signal } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const callOff = after(milliseconds, () => {
          signal?.removeEventListener("abort", stop);
          resolve();
        });
        const stop = (): void => {
          callOff();
          reject(signal?.reason);
        };
        signal?.addEventListener("abort", stop, { once: true });
      });
    return { after, sleep };
  }

  /** Lets time pass without anything happening meanwhile. */
  skip(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** Lets time pass, and everything happen that is due, each at its time. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      const next = this.#nextUntil(end);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.call();
      await settled();
    }
    this.#now = end;
  }

  #nextUntil(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.owner.isFrozen || timer.at > end) continue;
      if (next === undefined || timer.at < next.at) next = timer;
    }
    return next;
  }
}

/** Lets what is under way go as far as it can without any timer. */
export async function settled(turns = 1): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
