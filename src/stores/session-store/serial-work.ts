/** Runs work of the same name one after the other, in the order it was handed in. */
export class SerialWork {
  readonly #last = new Map<string, Promise<unknown>>();

  run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const result = before.then(work, work);
    const forget = (): void => {
      if (this.#last.get(name) === result) this.#last.delete(name);
    };
    this.#last.set(name, result);
    result.then(forget, forget);
    return result;
  }
}
