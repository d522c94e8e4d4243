import { clearInterval, setInterval } from "node:timers";
import type { WakeUps } from "../wake-ups.ts";
import type { SqliteDatabase, SqliteStatement } from "./sqlite-database.ts";

const INTERVAL_MS = 50;

/** Notices, while anybody watches, that another process has written, and wakes everybody: SQLite does not tell what changed. */
export class ChangePoller {
  readonly #dataVersion: SqliteStatement;
  readonly #wakeUps: WakeUps;
  #timer: NodeJS.Timeout | undefined;
  #seen: number | undefined;

  constructor(database: SqliteDatabase, wakeUps: WakeUps) {
    this.#dataVersion = database.prepare("pragma data_version");
    this.#wakeUps = wakeUps;
  }

  /** Polls until nobody watches any more. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#seen = this.#read();
    this.#timer = setInterval(() => this.#poll(), INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #poll(): void {
    if (!this.#wakeUps.isWatched) {
      this.stop();
      return;
    }
    const version = this.#read();
    if (version === this.#seen) return;
    this.#seen = version;
    this.#wakeUps.wakeAll();
  }

  #read(): number | undefined {
    try {
      return (this.#dataVersion.get() as { data_version: number }).data_version;
    } catch {
      // Locked or closed. Wake-ups are hints; whoever is woken meets the error itself.
      return undefined;
    }
  }
}
