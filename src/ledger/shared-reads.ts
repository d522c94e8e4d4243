/** Lets those who want to read the same at the same time read it once. */
export class SharedReads<Result> {
  readonly #running = new Map<string, Promise<Result>>();

  /** Whether whoever asks now is given what somebody else began to read before. */
  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  share(name: string, read: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(name);
    if (running) return running;
    const forget = (): void => void this.#running.delete(name);
    const started = read();
    this.#running.set(name, started);
    started.then(forget, forget);
    return started;
  }
}
