import type { Timers } from "./ports.ts";

interface Waiting {
  readonly characters: number;
  readonly proceed: () => void;
}

// What is sent within few milliseconds.
const MOST_AT_ONCE = 512 * 1024;

/**
 * How much all who follow runs are given together before whatever else the process does has its turn. Each of them reads as fast as it can, and many at
 * once would keep the very turns waiting that they read.
 */
export class ReadingPace {
  readonly #waiting: Waiting[] = [];
  #given = 0;
  #isRunning = false;

  /** Resolves when it is the caller's turn to be given about so many characters; nothing to wait for, as a rule. */
  admit(characters: number, timers: Timers): Promise<void> | undefined {
    if (this.#given < MOST_AT_ONCE) return this.#give(characters, timers);
    return new Promise((proceed) => this.#waiting.push({ characters, proceed }));
  }

  #give(characters: number, timers: Timers): undefined {
    this.#given += characters;
    if (this.#isRunning || this.#given === 0) return;
    this.#isRunning = true;
    void timers.sleep(0).then(() => this.#beginAnew(timers));
  }

  // In the order they came.
  #beginAnew(timers: Timers): void {
    this.#isRunning = false;
    this.#given = 0;
    while (this.#given < MOST_AT_ONCE) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#give(next.characters, timers);
      next.proceed();
    }
  }
}

/** All readers of a process share its event loop. */
export const readingPace: ReadingPace = new ReadingPace();
