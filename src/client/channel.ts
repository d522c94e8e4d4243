import { TurnkeepError } from "../protocol/index.ts";

// As many as a turn of a local agent may stream.
const MOST_WAITING = 100_000;

/** A queue that one consumer reads from as things come in. Breaking out of a loop over it ends nothing: the next one goes on where that one stopped. */
export class Channel<Item> {
  readonly #waiting: Item[] = [];
  #wake: () => void = () => {};
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;

  push(item: Item): void {
    if (this.#isOver) return;
    this.#waiting.push(item);
    if (this.#waiting.length > MOST_WAITING) this.fail(tooFarBehind());
    this.#wake();
  }

  close(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** The reader is told once, after all that came before. */
  fail(error: unknown): void {
    if (!this.#isOver) this.#failure = { error };
    this.close();
  }

  async *read(): AsyncGenerator<Item> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift() as Item;
      const failure = this.#failure;
      this.#failure = undefined;
      if (failure) throw failure.error;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

function tooFarBehind(): TurnkeepError {
  return new TurnkeepError(
    "RESOURCE_EXHAUSTED",
    "Too many chunks wait to be received. Attach to the run to read on.",
    { reason: "LIMIT_EXCEEDED" },
  );
}
