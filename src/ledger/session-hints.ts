import type { Ports } from "./ports.ts";
import type { SessionKey } from "./scope.ts";
import type { SessionStore } from "./session-store.ts";

export interface HintOptions {
  readonly store: SessionStore;
  readonly ports: Pick<Ports, "timers">;
  /** Ends it: waiting ends at once then. */
  readonly signal: AbortSignal;
}

/** Waits for a session to change. One watcher for as long as it is used, so that no hint is lost between two waits. */
export class SessionHints {
  readonly #hints: AsyncIterator<void>;
  readonly #ports: HintOptions["ports"];
  #isAsked = false;
  #hasCome = false;
  #wake: () => void = () => {};

  constructor(key: SessionKey, { store, ports, signal }: HintOptions) {
    this.#ports = ports;
    this.#hints = store.watch(key, { signal })[Symbol.asyncIterator]();
  }

  /** Resolves when the session may have changed since the last time it did, at the latest after that long: hints may be lost. Tells whether one came. */
  async next(longestMs: number): Promise<boolean> {
    this.#ask();
    if (!this.#hasCome) {
      const awake = new AbortController();
      this.#wake = () => awake.abort(null);
      await this.#ports.timers.sleep(longestMs, { signal: awake.signal }).catch(() => {});
    }
    this.#wake = () => {};
    const hasCome = this.#hasCome;
    this.#hasCome = false;
    return hasCome;
  }

  // Asked once until it answers: an older question would take the hint away from a newer one. A watcher that has ended is not asked again.
  #ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    const hint = this.#hints.next();
    hint.then(
      (result) => this.#come(result.done === true),
      () => this.#come(true),
    );
  }

  #come(isOver: boolean): void {
    this.#isAsked = isOver;
    this.#hasCome = true;
    this.#wake();
  }
}
