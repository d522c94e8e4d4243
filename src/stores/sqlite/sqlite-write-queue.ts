import { setImmediate } from "node:timers/promises";
import { TurnkeepError, UnknownOutcomeError } from "../../ledger/index.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { isDiskFailure } from "./to-store-error.ts";

/** Everything but `"ok"` undoes what the write did. */
type Verdict = "ok" | "conflict" | "fenced";

interface Write {
  readonly apply: () => Verdict;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
}

// Bounds how long one transaction keeps the event loop and the other processes waiting.
const MAX_TOGETHER = 256;

/**
 * Makes writes durable together: those that arrive while the event loop turns once share a transaction, and so one wait for the disk.
 * Each has a savepoint of its own, so that none undoes another.
 */
export class SqliteWriteQueue {
  readonly #database: SqliteDatabase;
  #waiting: Write[] = [];
  #draining: Promise<void> | undefined;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Resolves when the write is durable, or undone. */
  add(apply: () => Verdict): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ apply, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    await setImmediate();
    while (this.#waiting.length > 0) await this.#write(this.#waiting.splice(0, MAX_TOGETHER));
    this.#draining = undefined;
  }

  async #write(writes: readonly Write[]): Promise<void> {
    try {
      const verdicts = await retryWhileBusy(() => this.#transact(writes));
      for (const [index, write] of writes.entries()) write.resolve(verdicts[index] as Verdict);
    } catch (error) {
      if (writes.length > 1 && isWorthTryingAlone(error)) {
        for (const write of writes) await this.#write([write]);
      } else {
        for (const write of writes) write.reject(error);
      }
    }
  }

  #transact(writes: readonly Write[]): readonly Verdict[] {
    this.#database.exec("begin immediate");
    try {
      const verdicts = writes.map((write) => this.#applyAlone(write));
      this.#commit();
      return verdicts;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  #applyAlone(write: Write): Verdict {
    this.#database.exec("savepoint alone");
    const verdict = write.apply();
    if (verdict !== "ok") this.#database.exec("rollback to alone");
    this.#database.exec("release alone");
    return verdict;
  }

  #commit(): void {
    try {
      this.#database.exec("commit");
    } catch (error) {
      throw isDiskFailure(error) ? new UnknownOutcomeError(error) : error;
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec("rollback");
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full.
    }
  }
}

/** Whether the error may be the fault of one write among several, which then should hit only that one. */
function isWorthTryingAlone(error: unknown): boolean {
  if (UnknownOutcomeError.is(error)) return false;
  return !TurnkeepError.is(error) || error.reason !== "STORE_BUSY";
}
