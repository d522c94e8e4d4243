import { onAbort } from "../protocol/index.ts";

/** Whatever tells work that it must stop. */
export interface Stop {
  readonly isStopped: boolean;
  /** Why; meaningless before. */
  readonly reason: unknown;
  /** Calls back when it stops, at once if it has. Returns how to call that off. */
  readonly onStop: (call: (reason: unknown) => void) => () => void;
}

/** Tells work, once, that it must stop. An `AbortSignal` is made only for those who ask: it costs more than the rest of a short turn's bookkeeping. */
export class StopSwitch implements Stop {
  // A list, as there are one or two: a set takes several times the memory.
  #calls: readonly ((reason: unknown) => void)[] = [];
  #controller: AbortController | undefined;
  #stopped: { readonly reason: unknown } | undefined;

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  get reason(): unknown {
    return this.#stopped?.reason;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#stopped) this.#controller.abort(this.#stopped.reason);
    }
    return this.#controller.signal;
  }

  stop(reason: unknown): void {
    if (this.#stopped) return;
    this.#stopped = { reason };
    this.#controller?.abort(reason);
    const calls = this.#calls;
    this.#calls = [];
    for (const call of calls) call(reason);
  }

  onStop(call: (reason: unknown) => void): () => void {
    if (this.#stopped) {
      call(this.#stopped.reason);
      return nothing;
    }
    this.#calls = [...this.#calls, call];
    return () => {
      this.#calls = this.#calls.filter((other) => other !== call);
    };
  }
}

/** A caller's signal, as the run sees it. */
export class SignalStop implements Stop {
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get isStopped(): boolean {
    return this.#signal.aborted;
  }

  get reason(): unknown {
    return this.#signal.reason;
  }

  onStop(call: (reason: unknown) => void): () => void {
    const signal = this.#signal;
    return onAbort(signal, () => call(signal.reason));
  }
}

function nothing(): void {}
