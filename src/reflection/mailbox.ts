/** News for one reader, several at a time. What it does not take in time is not kept without end: the oldest goes. */
export class Mailbox<Item> {
  readonly #most: number;
  readonly #signal: AbortSignal;
  #items: Item[] = [];
  #wake: () => void = () => {};

  constructor(most: number, signal: AbortSignal) {
    this.#most = most;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake(), { once: true });
  }

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  put(item: Item): void {
    this.#items.push(item);
    if (this.#items.length > this.#most) this.#items.shift();
    this.#wake();
  }

  /** Until the signal aborts. */
  async *read(): AsyncGenerator<readonly Item[]> {
    while (!this.#signal.aborted) {
      if (this.#items.length > 0) {
        const items = this.#items;
        this.#items = [];
        yield items;
      } else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
