import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";

/** Something that closes in its own time: a server of `serve`, or an object of your own. */
export interface Closable {
  readonly close: (options: { readonly handOverMs: number }) => Promise<void>;
}

/** Settings of `closeOnSignals`. */
export interface CloseOnSignalsOptions {
  /** How long running turns may take to finish before they are handed off to other processes. Default: 10 seconds. */
  readonly gracePeriodMs?: number;
}

// Node keeps the original of a wrapped listener in this property, as `process.once` does.
type SignalListener = NodeJS.SignalsListener & { readonly listener?: NodeJS.SignalsListener };

const SIGNALS: readonly NodeJS.Signals[] = ["SIGTERM", "SIGINT"];
const DEFAULT_GRACE_MS = 10_000;
// How long other listeners may take to end the process themselves, once they are called.
const OTHER_LISTENERS_MS = 1000;

/**
 * Closes a server when the process receives SIGTERM or SIGINT, then exits.
 *
 * Other listeners for these signals, such as the one of Genkit that calls `process.exit`, run after the server has closed. It does not matter
 * whether they are added before or after this call. The same signal a second time ends the process at once.
 */
export function closeOnSignals(
  server: Closable,
  { gracePeriodMs = DEFAULT_GRACE_MS }: CloseOnSignalsOptions = {},
): void {
  shutdown.add(() => server.close({ handOverMs: gracePeriodMs }));
}

/** The one shutdown of a process: closes everything that was added, then lets the other listeners run. */
class SignalShutdown {
  readonly #closers: (() => Promise<void>)[] = [];
  readonly #received = new Set<NodeJS.Signals>();
  readonly #wrappers = new WeakSet<SignalListener>();
  #deferred: (() => void)[] = [];

  add(close: () => Promise<void>): void {
    if (this.#closers.length === 0) this.#install();
    this.#closers.push(close);
  }

  #install(): void {
    for (const signal of SIGNALS) {
      process.on(signal, this.#onSignal);
      this.#deferOthers(signal);
    }
    process.on("newListener", (event) => {
      const signal = SIGNALS.find((one) => one === event);
      // Node announces a listener before it adds it. No signal is delivered before the microtask.
      if (signal) queueMicrotask(() => this.#deferOthers(signal));
    });
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (this.#received.has(signal)) endNow(signal);
    else if (this.#received.add(signal).size === 1) void this.#shutDown();
  };

  async #shutDown(): Promise<void> {
    const results = await Promise.allSettled(this.#closers.map((close) => close()));
    for (const result of results) if (result.status === "rejected") reportFailure(result.reason);
    // In a tick of its own each, so that one that throws does not keep the others from running.
    for (const call of this.#deferred) process.nextTick(call);
    if (this.#deferred.length > 0) await sleep(OTHER_LISTENERS_MS);
    process.exit();
  }

  /** Puts a wrapper in the place of each other listener. `process.off` still finds them by the original. */
  #deferOthers(signal: NodeJS.Signals): void {
    const others = (process.rawListeners(signal) as SignalListener[]).filter(
      (one) => one !== this.#onSignal,
    );
    const wrapped = others.filter((one) => this.#wrappers.has(one));
    const added = others.filter((one) => !this.#wrappers.has(one));
    if (added.length === 0) return;
    // Wrappers first: the original would find its wrapper instead of itself.
    for (const one of [...wrapped, ...added]) process.off(signal, one);
    for (const one of others) {
      process.on(signal, this.#wrappers.has(one) ? one : this.#wrap(one));
    }
  }

  #wrap(listener: SignalListener): SignalListener {
    const wrapper = (...args: Parameters<NodeJS.SignalsListener>): void =>
      void this.#deferred.push(() => Reflect.apply(listener, process, args));
    const named = Object.assign(wrapper, { listener: listener.listener ?? listener });
    this.#wrappers.add(named);
    return named;
  }
}

const shutdown = new SignalShutdown();

/** Leaves the signal to the system, which ends the process with the usual code. */
function endNow(signal: NodeJS.Signals): void {
  for (const one of SIGNALS) process.removeAllListeners(one);
  process.kill(process.pid, signal);
}

function reportFailure(error: unknown): void {
  process.exitCode = 1;
  process.stderr.write(`The server could not be closed: ${inspect(error)}\n`);
}
