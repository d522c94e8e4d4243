// As many characters wait for a reader who can find them elsewhere, and for one who cannot.
const MOST_HELD = 128 * 1024;
const MOST_HELD_ALONE = 4 * 1024 * 1024;

/** Text on its way to a reader. What it takes late is not held without end. */
export class HeldText {
  #pieces: string[] = [];
  #length = 0;
  #isFull = false;
  #end: { readonly error?: unknown; readonly isFailed: boolean } | undefined;
  #wake: () => void = () => {};

  /** Whether something was left out: from then on, everything is. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether it was taken. */
  offer(text: string, { isElsewhere }: { readonly isElsewhere: boolean }): boolean {
    if (this.#isFull) return false;
    const most = isElsewhere ? MOST_HELD : MOST_HELD_ALONE;
    if (this.#length > 0 && this.#length + text.length > most) {
      this.#isFull = true;
      this.#wake();
      return false;
    }
    if (text === "") return true;
    this.#pieces.push(text);
    this.#length += text.length;
    this.#wake();
    return true;
  }

  close(): void {
    this.#end ??= { isFailed: false };
    this.#wake();
  }

  fail(error: unknown): void {
    this.#end ??= { isFailed: true, error };
    this.#wake();
  }

  /** Nobody reads any more. */
  drop(): void {
    this.#isFull = true;
    this.#pieces = [];
  }

  /** All that was taken, as much at a time as is there. Ends where something was left out. */
  async *read(): AsyncGenerator<string> {
    for (;;) {
      if (this.#pieces.length > 0) yield this.#take();
      else if (this.#end?.isFailed) throw this.#end.error;
      else if (this.#end || this.#isFull) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #take(): string {
    const text = this.#pieces.join("");
    this.#pieces = [];
    this.#length = 0;
    return text;
  }
}
