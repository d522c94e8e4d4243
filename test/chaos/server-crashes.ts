import { setTimeout } from "node:timers/promises";
import type { SessionKey, SessionStore } from "../../src/ledger/index.ts";
import type { CrashableServer } from "../support/crashable-server.ts";
import { insistently } from "./insistently.ts";
import { type Strike, timeNow } from "./take-overs.ts";

const DOWN_MS = [0, 800] as const;

/** Kills a server with -9 and starts it again, and sees how long the store takes to notice. */
export class ServerCrashes {
  readonly strikes: Strike[] = [];
  /** From the moment the server answers until the store does. */
  readonly recoveries: number[] = [];
  readonly #server: CrashableServer;
  readonly #store: SessionStore;
  readonly #probe: SessionKey;
  #ongoing: Promise<void> = Promise.resolve();

  constructor(server: CrashableServer, store: SessionStore, probe: SessionKey) {
    this.#server = server;
    this.#store = store;
    this.#probe = probe;
  }

  /** Begins one, after the one before has passed. Nobody waits for the server to come back but `settle`. */
  async strike(chance: number): Promise<void> {
    await this.settle();
    this.strikes.push({ pid: 0, kind: "crash", at: timeNow() });
    await this.#server.crash();
    this.#ongoing = this.#recover(chance);
    // Whoever settles hears of it; until then it is nobody's unhandled failure.
    this.#ongoing.catch(() => {});
  }

  /** Resolves when the server is up and the store has found it. */
  async settle(): Promise<void> {
    await this.#ongoing;
  }

  async #recover(chance: number): Promise<void> {
    const [least, most] = DOWN_MS;
    await setTimeout(least + chance * (most - least));
    await this.#server.restart();
    const backAt = timeNow();
    await insistently(() => this.#store.load(this.#probe));
    this.recoveries.push(timeNow() - backAt);
  }
}
