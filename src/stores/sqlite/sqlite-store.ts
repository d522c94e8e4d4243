import { setImmediate } from "node:timers/promises";
import {
  type Append,
  type AppendOutcome,
  type Clock,
  type Commit,
  type DueQuery,
  type ListQuery,
  type RangeQuery,
  type Row,
  type Scope,
  type SessionKey,
  type SessionPage,
  type SessionStore,
  type StoreCapabilities,
  type StoreSchema,
  type SurveyedSession,
  systemClock,
  TurnkeepError,
  type View,
  type Want,
} from "../../ledger/index.ts";
import { checkLimits } from "../check-limits.ts";
import { keyFromRow, type SessionRow, surveyPages } from "../session-row.ts";
import { storeClosed } from "../store-closed.ts";
import { WakeUps } from "../wake-ups.ts";
import { ChangePoller } from "./change-poller.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { readList } from "./read-list.ts";
import { readRange } from "./read-range.ts";
import { readView } from "./read-view.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { applySettings } from "./sqlite-settings.ts";
import { prepareStatements, type SqliteStatements } from "./sqlite-statements.ts";
import { SqliteWriteQueue } from "./sqlite-write-queue.ts";
import { writeAppend } from "./write-append.ts";
import { toCommitWrite, writeCommit } from "./write-commit.ts";

/** What a store on a database is told. */
export interface SqliteStoreOptions {
  /**
   * Stays open when the store is closed. Nobody else may leave a transaction open on it, and no other SQLite library of the same process
   * may open the same file: they would take each other's locks away.
   */
  readonly database: SqliteDatabase;
  readonly clock?: Clock;
  /** Called at the end of `close()`, for whoever opened the database just for this store. */
  readonly closeDatabase?: () => void;
}

/** What there is once the schema is known to be right. */
interface Opened {
  readonly statements: SqliteStatements;
  readonly queue: SqliteWriteQueue;
  readonly poller: ChangePoller;
}

// About 1 MiB at a time, so that giving back much space does not hold up the event loop.
const VACUUM_PAGES = "pragma incremental_vacuum(64)";

/** Keeps sessions in one SQLite file, which several processes of one machine may share. An acknowledged write survives a power cut. */
export class SqliteStore implements SessionStore {
  readonly capabilities: StoreCapabilities = {
    durability: "power-loss",
    multiProcess: true,
    maxRowBytes: 256 * 1024 * 1024,
  };
  readonly #database: SqliteDatabase;
  readonly clock: Clock;
  readonly #closeDatabase: () => void;
  readonly #wakeUps = new WakeUps();
  #opened: Opened | undefined;
  #schema: StoreSchema | undefined;
  #isClosed = false;

  constructor({ database, clock = systemClock, closeDatabase = () => {} }: SqliteStoreOptions) {
    this.#database = database;
    this.clock = clock;
    this.#closeDatabase = closeDatabase;
  }

  get schema(): StoreSchema | undefined {
    return this.#schema;
  }

  async open(): Promise<void> {
    if (this.#isClosed) throw storeClosed();
    if (this.#opened !== undefined) return;
    await retryWhileBusy(() => applySettings(this.#database));
    this.#schema = await retryWhileBusy(() => migrate(this.#database, MIGRATIONS));
    this.#opened ??= await retryWhileBusy(() => ({
      statements: prepareStatements(this.#database),
      queue: new SqliteWriteQueue(this.#database),
      poller: new ChangePoller(this.#database, this.#wakeUps),
    }));
  }

  async load(key: SessionKey, want: Want = {}): Promise<View> {
    const view = await this.#read((statements) => readView(statements, key, want));
    return { ...view, now: this.clock.now() };
  }

  async commit(key: SessionKey, commit: Commit): Promise<"ok" | "conflict"> {
    const { queue, statements } = this.#getOpened();
    const write = toCommitWrite(key, commit);
    const verdict = await queue.add(() => writeCommit(statements, write));
    if (verdict !== "ok") return "conflict";
    this.#wakeUps.wake(key);
    return "ok";
  }

  async append(appends: readonly Append[]): Promise<readonly AppendOutcome[]> {
    const { queue, statements } = this.#getOpened();
    return Promise.all(
      appends.map(async (append) => {
        const rows = [...append.rows];
        const verdict = await queue.add(() => writeAppend(statements, { ...append, rows }));
        if (verdict !== "ok") return "fenced";
        this.#wakeUps.wake(append.key);
        return "ok";
      }),
    );
  }

  async range(key: SessionKey, query: RangeQuery): Promise<readonly Row[]> {
    checkLimits({ limit: query.limit, maxBytes: query.maxBytes });
    return this.#read((statements) => readRange(statements, key, query));
  }

  async due({ kind, agents, limit }: DueQuery): Promise<readonly SessionKey[]> {
    checkLimits({ limit });
    const rows = await this.#read(({ sessions }) => {
      const statement = kind === "work" ? sessions.dueWork : sessions.dueSweep;
      return statement.all(
        this.clock.now(),
        agents === undefined ? null : JSON.stringify(agents),
        limit,
      );
    });
    return (rows as SessionRow[]).map(keyFromRow);
  }

  watch(key: SessionKey, { signal }: { readonly signal: AbortSignal }): AsyncIterable<void> {
    const { poller } = this.#getOpened();
    const changes = this.#wakeUps.watch(key, signal);
    return {
      [Symbol.asyncIterator]: () => {
        poller.start();
        return changes[Symbol.asyncIterator]();
      },
    };
  }

  async list(scope: Scope, query: ListQuery): Promise<SessionPage> {
    checkLimits({ limit: query.limit });
    return this.#read((statements) => readList(statements, scope, query));
  }

  survey(): AsyncIterable<SurveyedSession> {
    return surveyPages((after, limit) =>
      this.#read(({ sessions }) => sessions.survey.all(...after, limit)),
    );
  }

  async sweep(): Promise<void> {
    this.#getOpened();
    while (await retryWhileBusy(() => this.#vacuumSome())) await setImmediate();
    // Readers and writers of other processes may be in the way; the next sweep tries again.
    await retryWhileBusy(() => {
      this.#getOpened();
      this.#database.prepare("pragma wal_checkpoint(truncate)").get();
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#wakeUps.close();
    this.#opened?.poller.stop();
    await this.#opened?.queue.settled();
    this.#opened = undefined;
    this.#closeDatabase();
  }

  /** Size of the database without its log: for measurements, after `sweep()`. */
  storedBytes(): number {
    this.#getOpened();
    return this.#pragma("page_count") * this.#pragma("page_size");
  }

  /** Whether there is more to give back. */
  #vacuumSome(): boolean {
    this.#getOpened();
    const before = this.#pragma("freelist_count");
    if (before === 0) return false;
    this.#database.exec(VACUUM_PAGES);
    const after = this.#pragma("freelist_count");
    // A database that was made without `auto_vacuum` keeps its free pages and uses them again.
    return after > 0 && after < before;
  }

  /** In one transaction, so that what another process commits meanwhile is seen wholly or not at all. */
  #read<Result>(read: (statements: SqliteStatements) => Result): Promise<Result> {
    return retryWhileBusy(() => {
      const { statements } = this.#getOpened();
      this.#database.exec("begin");
      try {
        return read(statements);
      } finally {
        this.#database.exec("commit");
      }
    });
  }

  #getOpened(): Opened {
    if (this.#isClosed) throw storeClosed();
    if (this.#opened !== undefined) return this.#opened;
    throw new TurnkeepError("FAILED_PRECONDITION", "The store is not open yet: call open() first.");
  }

  #pragma(name: "freelist_count" | "page_count" | "page_size"): number {
    return (this.#database.prepare(`pragma ${name}`).get() as Record<string, number>)[name] ?? 0;
  }
}
