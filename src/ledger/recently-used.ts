interface Weighed<Value> {
  readonly value: Value;
  readonly weight: number;
}

/** Values that came in the same time, and what they weigh together. */
interface Generation<Value> {
  readonly entries: Map<string, Weighed<Value>>;
  weight: number;
}

/**
 * Remembers values up to a total weight and forgets those that were not asked for in a while. They come in two generations: what is asked for is in the younger
 * one, and when that is half of all, the older one is forgotten. So nothing moves when what is in use is asked for again.
 */
export class RecentlyUsed<Value> {
  readonly #mostWeight: number;
  #younger: Generation<Value> = newGeneration();
  #older: Generation<Value> = newGeneration();

  constructor(mostWeight: number) {
    this.#mostWeight = mostWeight;
  }

  get(key: string): Value | undefined {
    const known = this.#younger.entries.get(key);
    if (known) return known.value;
    const entry = this.#older.entries.get(key);
    if (entry) this.set(key, entry.value, entry.weight);
    return entry?.value;
  }

  set(key: string, value: Value, weight: number): void {
    this.delete(key);
    if (weight > this.#mostWeight) return;
    if (this.#younger.weight > 0 && this.#younger.weight + weight > this.#mostWeight / 2) {
      this.#older = this.#younger;
      this.#younger = newGeneration();
    }
    this.#younger.entries.set(key, { value, weight });
    this.#younger.weight += weight;
    if (this.#younger.weight + this.#older.weight > this.#mostWeight) this.#older = newGeneration();
  }

  delete(key: string): void {
    for (const generation of [this.#younger, this.#older]) {
      generation.weight -= generation.entries.get(key)?.weight ?? 0;
      generation.entries.delete(key);
    }
  }
}

function newGeneration<Value>(): Generation<Value> {
  return { entries: new Map(), weight: 0 };
}
