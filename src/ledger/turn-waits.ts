import { onAbort } from "../protocol/index.ts";
import { pendingSnapshots } from "./list-snapshots.ts";
import type { Ports } from "./ports.ts";
import type { SessionKey } from "./scope.ts";
import { SessionHints } from "./session-hints.ts";
import type { SessionStore } from "./session-store.ts";

// Hints may be lost; the session is looked at again at the latest after this time.
const LONGEST_WAIT_MS = 500;

interface SharedWait {
  readonly ended: Promise<void>;
  readonly stop: AbortController;
  waiting: number;
}

/** Waits for turns to end. All who wait for one turn share one watcher, which reads nothing but the head record. */
export class TurnWaits {
  readonly #store: SessionStore;
  readonly #ports: Pick<Ports, "timers">;
  readonly #waits = new Map<string, SharedWait>();

  constructor({
    store,
    ports,
  }: {
    readonly store: SessionStore;
    readonly ports: Pick<Ports, "timers">;
  }) {
    this.#store = store;
    this.#ports = ports;
  }

  /** Resolves when no turn that runs or waits will end in this snapshot: it has ended, or there never was one. Rejects when the signal aborts. */
  async untilEnded(key: SessionKey, snapshotId: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const name = JSON.stringify([key.scope.tenant, key.agent, key.sessionId, snapshotId]);
    const wait = this.#waits.get(name) ?? this.#begin(name, key, snapshotId);
    wait.waiting += 1;
    let forget: (() => void) | undefined;
    const gone = new Promise<never>((_, reject) => {
      forget = signal && onAbort(signal, () => reject(signal.reason as Error));
    });
    try {
      await (signal ? Promise.race([wait.ended, gone]) : wait.ended);
    } finally {
      forget?.();
      wait.waiting -= 1;
      if (wait.waiting === 0) this.#end(name, wait);
    }
  }

  #begin(name: string, key: SessionKey, snapshotId: string): SharedWait {
    const stop = new AbortController();
    const wait = { ended: this.#watch(key, snapshotId, stop.signal), stop, waiting: 0 };
    this.#waits.set(name, wait);
    const end = (): void => this.#end(name, wait);
    wait.ended.then(end, end);
    return wait;
  }

  #end(name: string, wait: SharedWait): void {
    if (this.#waits.get(name) === wait) this.#waits.delete(name);
    wait.stop.abort(null);
  }

  async #watch(key: SessionKey, snapshotId: string, signal: AbortSignal): Promise<void> {
    const hints = new SessionHints(key, { store: this.#store, ports: this.#ports, signal });
    while (!signal.aborted) {
      const { record } = await this.#store.load(key);
      const pending = record === null ? [] : pendingSnapshots(record);
      if (!pending.some((turn) => turn.snapshotId === snapshotId)) return;
      await hints.next(LONGEST_WAIT_MS);
    }
  }
}
