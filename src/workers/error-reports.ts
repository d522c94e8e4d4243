import type { Clock } from "../ledger/index.ts";

/** Something that a worker goes on in spite of. */
export interface WorkerTrouble {
  readonly error: unknown;
  /** How many others there were since the last report. */
  readonly more: number;
}

const LEAST_PAUSE_MS = 1000;

/** Passes errors on, at most one a second: a server that is away gives rise to very many. */
export class ErrorReports {
  readonly #report: (trouble: WorkerTrouble) => void;
  readonly #clock: Clock;
  #lastAt = -Infinity;
  #more = 0;

  constructor(report: (trouble: WorkerTrouble) => void, clock: Clock) {
    this.#report = report;
    this.#clock = clock;
  }

  readonly add = (error: unknown): void => {
    const now = this.#clock.now();
    if (now - this.#lastAt < LEAST_PAUSE_MS) {
      this.#more += 1;
      return;
    }
    const more = this.#more;
    this.#lastAt = now;
    this.#more = 0;
    this.#report({ error, more });
  };
}
