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
  readonly #options: HintOptions;
  #isAsked = false;
  #hasCome = false;
  #isAlarmSet = false;
  #wake: () => void = nothing;

  constructor(key: SessionKey, options: HintOptions) {
    const { store, signal } = options;
    this.#options = options;
    this.#hints = store.watch(key, { signal })[Symbol.asyncIterator]();
  }

  /** Resolves when the session may have changed since the last time it did, at the latest after that long: hints may be lost. Tells whether one came. */
  next(longestMs: number): Promise<boolean> {
    this.#ask();
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = nothing;
        const hasCome = this.#hasCome;
        this.#hasCome = false;
        resolve(hasCome);
      };
      if (this.#hasCome) this.#wake();
      else this.#setAlarm(longestMs);
    });
  }

  // One at a time, which may have been set for an earlier wait: then this one is over sooner.
  #setAlarm(milliseconds: number): void {
    if (this.#isAlarmSet) return;
    this.#isAlarmSet = true;
    const ring = (): void => {
      this.#isAlarmSet = false;
      this.#wake();
    };
    const { ports, signal } = this.#options;
    ports.timers.sleep(milliseconds, { signal }).then(ring, ring);
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

function nothing(): void {}
