import type { Timers } from "../../src/ledger/index.ts";

/** Timers that go on when told. */
export class HandTimers implements Timers {
  #now = 0;
  #set = new Set<{ readonly at: number; readonly call: () => void }>();

  readonly sleep = async (): Promise<void> => {};

  readonly after = (milliseconds: number, call: () => void): (() => void) => {
    const timer = { at: this.#now + milliseconds, call };
    this.#set.add(timer);
    return () => void this.#set.delete(timer);
  };

  get count(): number {
    return this.#set.size;
  }

  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const [next] = [...this.#set].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#set.delete(next);
      this.#now = next.at;
      next.call();
    }
    this.#now = end;
  }
}
