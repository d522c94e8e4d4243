import { TurnkeepError } from "../protocol/index.ts";

/** How much an `InputChannel` holds. */
export type InputChannelOptions<Item> = {
  /** How much may wait for the consumer, by the size of the items: 1,000 unless told. One item always may. */
  readonly limit?: number;
  /** What an item counts against the limit: 1 unless told. */
  readonly sizeOf?: (item: Item) => number;
};

const MOST_WAITING = 1000;

/**
 * A queue that one consumer reads from as things come in. What was pushed before the end is read before the end is seen.
 * Breaking out of a loop over it ends nothing: the next loop goes on where that one stopped.
 */
export class InputChannel<Item> implements AsyncIterable<Item, undefined> {
  readonly #limit: number;
  readonly #sizeOf: (item: Item) => number;
  readonly #waiting: { readonly item: Item; readonly size: number }[] = [];
  readonly #readers: Reader<Item>[] = [];
  #waitingSize = 0;
  #end: End | undefined;

  constructor({ limit = MOST_WAITING, sizeOf = one }: InputChannelOptions<Item> = {}) {
    if (Number.isNaN(limit) || limit < 1) {
      throw new TurnkeepError("INVALID_ARGUMENT", "The limit of a channel must be 1 or more.");
    }
    this.#limit = limit;
    this.#sizeOf = sizeOf;
  }

  /**
   * Hands an item to the consumer, now or when it comes for it.
   *
   * @throws TurnkeepError FAILED_PRECONDITION after the end; RESOURCE_EXHAUSTED, QUEUE_FULL over the limit.
   */
  push(item: Item): void {
    this.checkOpen();
    if (this.offer(item)) return;
    throw new TurnkeepError(
      "RESOURCE_EXHAUSTED",
      `More than ${this.#limit} would be waiting. Send again when some of it was taken.`,
      { reason: "QUEUE_FULL", retryable: true, details: { limit: this.#limit } },
    );
  }

  /** Like `push`, but answers whether the item was taken. */
  offer(item: Item): boolean {
    if (this.#end !== undefined) return false;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: item });
      return true;
    }
    const size = this.#sizeOf(item);
    if (this.#waiting.length > 0 && this.#waitingSize + size > this.#limit) return false;
    this.#waiting.push({ item, size });
    this.#waitingSize += size;
    return true;
  }

  /** @throws TurnkeepError FAILED_PRECONDITION after the end. */
  checkOpen(): void {
    if (this.#end === undefined) return;
    throw new TurnkeepError("FAILED_PRECONDITION", "The connection is closed.");
  }

  /** Whether it has ended and everything was read. */
  get isOver(): boolean {
    return this.#end !== undefined && this.#waiting.length === 0;
  }

  /** Whether the consumer waits for the next item. */
  get isAwaited(): boolean {
    return this.#readers.length > 0;
  }

  /** Ends the channel. Ending it again, in whatever way, does nothing. */
  close(): void {
    this.#finish({ failed: false });
  }

  /** Ends the channel with an error, which the consumer gets once. */
  fail(error: unknown): void {
    this.#finish({ failed: true, error });
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    const first = this.#waiting.shift();
    if (first !== undefined) {
      this.#waitingSize -= first.size;
      return Promise.resolve({ done: false, value: first.item });
    }
    if (this.#end === undefined) {
      return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
    }
    const end = this.#end;
    this.#end = { failed: false };
    return end.failed
      ? Promise.reject(end.error)
      : Promise.resolve({ done: true, value: undefined });
  }

  /** Everything that waits, at once. */
  takeWaiting(): readonly Item[] {
    const items = this.#waiting.map(({ item }) => item);
    this.#waiting.length = 0;
    this.#waitingSize = 0;
    return items;
  }

  // Without `return`, so that breaking out of a loop leaves the channel open.
  [Symbol.asyncIterator](): AsyncIterator<Item, undefined> {
    return { next: () => this.next() };
  }

  #finish(end: End): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    const readers = this.#readers.splice(0);
    if (end.failed && readers.length > 0) {
      readers.shift()?.reject(end.error);
      this.#end = { failed: false };
    }
    for (const reader of readers) reader.resolve({ done: true, value: undefined });
  }
}

type End = { readonly failed: false } | { readonly failed: true; readonly error: unknown };

type Reader<Item> = {
  readonly resolve: (result: IteratorResult<Item, undefined>) => void;
  readonly reject: (error: unknown) => void;
};

function one(): number {
  return 1;
}
