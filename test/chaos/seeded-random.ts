import type { Random } from "../../src/ledger/index.ts";

/** Chance that can be had again: the same seed gives the same numbers. */
export class SeededRandom implements Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Uniform in [0, 1). This is mulberry32. */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** In [least, most). */
  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** One of 0 … count - 1. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** One of the items; `undefined` when there are none. */
  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)];
  }

  /** Another source, so that actors which run at once do not disturb each other's numbers. */
  fork(): SeededRandom {
    return new SeededRandom(this.next() * 2 ** 32);
  }
}

/** The seed to run with: the one given, to see a run again, and else a new one. */
export function chooseSeed(given: string | undefined): number {
  if (given === undefined) return Math.floor(Math.random() * 2 ** 32);
  const seed = Number(given);
  if (Number.isSafeInteger(seed)) return seed;
  throw new RangeError(`A seed is a whole number, not "${given}".`);
}
