import type { SessionKey } from "../ledger/index.ts";
import { sessionName } from "./session-name.ts";

/** Tells the watchers in this process that a session changed. */
export class WakeUps {
  readonly #watchers = new Map<string, Set<Watcher>>();
  readonly #nameOf: (key: SessionKey) => string;

  /** `nameOf` for stores that hear of changes by other names; different for different sessions. */
  constructor(nameOf: (key: SessionKey) => string = sessionName) {
    this.#nameOf = nameOf;
  }

  /** Whether anybody watches anything. */
  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  wake(key: SessionKey): void {
    if (this.isWatched) this.wakeNamed(this.#nameOf(key));
  }

  wakeNamed(name: string): void {
    for (const watcher of this.#watchers.get(name) ?? []) watcher.wake();
  }

  wakeAll(): void {
    for (const watchers of this.#watchers.values()) for (const watcher of watchers) watcher.wake();
  }

  /** Ends every iteration. */
  close(): void {
    for (const watchers of this.#watchers.values()) for (const watcher of watchers) watcher.end();
  }

  /**
   * Watches from the moment the iteration starts, and yields once at once: a caller that read before it watched would
   * otherwise sleep through what happened in between.
   */
  watch(key: SessionKey, signal: AbortSignal): AsyncIterable<void> {
    return { [Symbol.asyncIterator]: () => this.#start(this.#nameOf(key), signal) };
  }

  #start(name: string, signal: AbortSignal): Watcher {
    const watchers = this.#watchers.get(name) ?? new Set();
    const watcher = new Watcher(signal, () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(name);
    });
    if (signal.aborted) {
      watcher.end();
      return watcher;
    }
    watchers.add(watcher);
    this.#watchers.set(name, watchers);
    return watcher;
  }
}

class Watcher implements AsyncIterator<void, undefined> {
  readonly #signal: AbortSignal;
  readonly #forget: () => void;
  readonly #end = (): void => this.end();
  #waiting: ((result: IteratorResult<void, undefined>) => void)[] = [];
  // Changes while nobody waits make one wake-up: it says "look again", not how often.
  #pending = true;
  #ended = false;

  constructor(signal: AbortSignal, forget: () => void) {
    this.#signal = signal;
    this.#forget = forget;
    signal.addEventListener("abort", this.#end);
  }

  wake(): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#pending = true;
    else waiting({ done: false, value: undefined });
  }

  end(): void {
    this.#ended = true;
    this.#signal.removeEventListener("abort", this.#end);
    this.#forget();
    for (const waiting of this.#waiting.splice(0)) waiting({ done: true, value: undefined });
  }

  next(): Promise<IteratorResult<void, undefined>> {
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    if (!this.#pending) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#pending = false;
    return Promise.resolve({ done: false, value: undefined });
  }

  return(): Promise<IteratorResult<void, undefined>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }
}
