import { systemPorts, systemTimers } from "../../ledger/index.ts";
import type { WakeUps } from "../wake-ups.ts";
import type { PostgresClient } from "./postgres-pool.ts";
import { release, type StatementRunner } from "./statement-runner.ts";

export interface ListenerOptions {
  readonly runner: StatementRunner;
  readonly wakeUps: WakeUps;
  /** Absent when nothing is told, and looking once a second must do. */
  readonly channel: string | undefined;
  /** What this store says itself ends in this; its watchers know already. */
  readonly signature: string;
}

// Behind what is told stands looking for oneself, so that news that is lost comes late and no worse.
const LOOK_EVERY_MS = 1000;
// A connection can be dead without anybody having said so.
const CHECK_EVERY_MS = 4000;
const CHECK_TIMEOUT_MS = 4000;
const PAUSES_MS = [50, 200, 1000];
const LONGEST_PAUSE_MS = 2000;

/** Wakes watchers when other processes have written, as long as there are any. */
export class ChangeListener {
  readonly #options: ListenerOptions;
  #stop: AbortController | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Listens and looks until nobody watches any more. */
  start(): void {
    if (this.#stop !== undefined) return;
    const stop = new AbortController();
    this.#stop = stop;
    const { channel } = this.#options;
    const work = [this.#look(stop)];
    if (channel !== undefined) work.push(this.#listen(channel, stop.signal));
    this.#ended = Promise.all([this.#ended, ...work]);
  }

  async close(): Promise<void> {
    this.#stop?.abort();
    await this.#ended;
  }

  async #look(stop: AbortController): Promise<void> {
    while (await pause(LOOK_EVERY_MS, stop.signal)) {
      if (!this.#options.wakeUps.isWatched) break;
      this.#options.wakeUps.wakeAll();
    }
    stop.abort();
    this.#stop = undefined;
  }

  async #listen(channel: string, signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await this.#listenOnce(channel, signal, () => {
          failures = 0;
        });
      } catch {
        // Away for a while. Whoever is woken meanwhile meets the error itself.
      }
      // Not all at once when the server is back.
      await pause(
        (PAUSES_MS[failures] ?? LONGEST_PAUSE_MS) * (0.5 + systemPorts.random.next()),
        signal,
      );
    }
  }

  async #listenOnce(channel: string, signal: AbortSignal, onReady: () => void): Promise<void> {
    const client = await this.#options.runner.connect();
    const lost = new AbortController();
    try {
      client.unref?.();
      client.on("error", () => lost.abort());
      client.on("notification", ({ payload = "" }) => this.#hear(payload));
      await ask(client, `listen "${channel}"`);
      onReady();
      // Whatever was said while nobody listened.
      this.#options.wakeUps.wakeAll();
      const over = AbortSignal.any([signal, lost.signal]);
      while (await pause(CHECK_EVERY_MS, over)) await ask(client, "select 1");
    } finally {
      // Closed and not used again: it would go on listening.
      release(client, true);
    }
  }

  #hear(payload: string): void {
    const { wakeUps, signature } = this.#options;
    const [name = "", teller] = payload.split(" ");
    if (teller !== signature) wakeUps.wakeNamed(name);
  }
}

async function ask(client: PostgresClient, text: string): Promise<void> {
  await client.query({ text, query_timeout: CHECK_TIMEOUT_MS });
}

/** Whether the time passed without the signal. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await systemTimers.sleep(milliseconds, { signal, inBackground: true });
    return true;
  } catch {
    return false;
  }
}
