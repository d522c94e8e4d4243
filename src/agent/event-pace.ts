import { type Clock, systemClock, type Timers } from "../ledger/index.ts";

// What comes within this time goes together; on a busy machine, within a longer one.
const BATCH_MS = 25;
const LONGEST_BATCH_MS = 250;
// How many times as long as timers are late a batch is then, and how much one of them counts.
const PATIENCE = 6;
const WEIGHT = 0.1;

/**
 * How long events of a turn wait for each other before they are written. A process that has more to do than it can makes its timers late: then every
 * run writes less often, and has more to write each time, so that a thousand streams do not mean a thousand times as many writes.
 */
export class EventPace {
  readonly #clock: Clock;
  #lateMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls back when the next batch is due. Returns how to call it off. */
  wait(timers: Timers, call: () => void): () => void {
    const { batchMs } = this;
    const due = this.#clock.now() + batchMs;
    return timers.after(batchMs, () => {
      this.#note(this.#clock.now() - due);
      call();
    });
  }

  get batchMs(): number {
    return Math.min(LONGEST_BATCH_MS, Math.round(BATCH_MS + PATIENCE * this.#lateMs));
  }

  #note(lateMs: number): void {
    this.#lateMs += (Math.max(lateMs, 0) - this.#lateMs) * WEIGHT;
  }
}

/** All runs of a process share its timers. */
export const eventPace: EventPace = new EventPace(systemClock);
