/** Does pieces of work in the order they were given, each when the one before has settled; the first one at once. */
export class OneAtATime {
  #last: Promise<void> | undefined;

  /** Settles when everything given so far has; nothing to wait for when nothing is under way. */
  get settled(): Promise<void> | undefined {
    return this.#last;
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last ? this.#last.then(work) : work();
    const forget = (): void => {
      if (this.#last === last) this.#last = undefined;
    };
    const last: Promise<void> = result.then(forget, forget);
    this.#last = last;
    return result;
  }
}
