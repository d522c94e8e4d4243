interface Weighed<Value> {
  readonly value: Value;
  readonly weight: number;
}

/** Remembers values up to a total weight and forgets the ones that were not asked for longest. */
export class RecentlyUsed<Value> {
  readonly #mostWeight: number;
  readonly #entries = new Map<string, Weighed<Value>>();
  #weight = 0;
  #youngest: string | undefined;

  constructor(mostWeight: number) {
    this.#mostWeight = mostWeight;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // A map keeps the order of insertion; inserting anew makes it the youngest.
    if (key !== this.#youngest) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#youngest = key;
    }
    return entry.value;
  }

  set(key: string, value: Value, weight: number): void {
    this.delete(key);
    if (weight > this.#mostWeight) return;
    this.#entries.set(key, { value, weight });
    this.#youngest = key;
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#mostWeight) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
    if (key === this.#youngest) this.#youngest = undefined;
  }
}
