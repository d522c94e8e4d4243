import { join } from "node:path";
import {
  type Append,
  type AppendOutcome,
  type Clock,
  type Commit,
  type DueQuery,
  type ListedSession,
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
import { listSessions } from "../list-sessions.ts";
import { readRange } from "../read-range.ts";
import { readWanted } from "../read-wanted.ts";
import { storeClosed } from "../store-closed.ts";
import { WakeUps } from "../wake-ups.ts";
import { ChangeWatcher } from "./change-watcher.ts";
import { prepareFolder } from "./check-folder.ts";
import { isHalfDead } from "./compact-session.ts";
import { type Disk, ignoreFailure, nodeDisk } from "./disk.ts";
import { DueIndex } from "./due-index.ts";
import { FileSession } from "./file-session.ts";
import { findDue } from "./find-due.ts";
import { SessionHeads } from "./session-heads.ts";
import { SessionShelf } from "./session-shelf.ts";
import { StoreFolder } from "./store-folder.ts";
import { everySession, sweepEmpty, sweepLife, sweepTemporary } from "./sweep-folder.ts";
import { surveySessions } from "./survey-sessions.ts";
import { copyCommit } from "../copy-commit.ts";
import { groupBySession } from "../group-by-session.ts";
import { toStoreError } from "./to-store-error.ts";

/** What a store in a folder may be told; nothing has to be. */
export interface FileStoreOptions {
  readonly clock?: Clock;
  /** About how many bytes of sessions to hold in memory, so that they are not read anew at every call. 64 MiB unless set. */
  readonly cacheBytes?: number;
  /**
   * How often to look for what other processes wrote to a session that somebody watches, where the system does not tell. 1,000 unless set; with 0 the store
   * does not look by itself.
   */
  readonly pollIntervalMs?: number;
  /** How to reach the file system: for tests of its failures. */
  readonly disk?: Disk;
}

const CACHE_BYTES = 64 * 1024 * 1024;
const POLL_INTERVAL_MS = 1000;

/**
 * Keeps sessions as text files in one folder of a local disk, which several processes of one machine may share. An acknowledged
 * write survives a power cut. {@link openFileStore} makes one.
 */
export class FileStore implements SessionStore {
  readonly capabilities: StoreCapabilities = {
    durability: "power-loss",
    multiProcess: true,
    maxRowBytes: 256 * 1024 * 1024,
  };
  readonly #root: string;
  readonly clock: Clock;
  readonly #folder: StoreFolder;
  readonly #shelf: SessionShelf;
  readonly #heads: SessionHeads;
  readonly #due: DueIndex;
  readonly #wakeUps = new WakeUps();
  readonly #watcher: ChangeWatcher;
  readonly #begun = new Set<Promise<unknown>>();
  #schema: StoreSchema | undefined;
  #isOpen = false;
  #isClosed = false;
  #isIndexed = false;

  /** @throws TurnkeepError INVALID_ARGUMENT unless `cacheBytes` is a whole number of at least 1, and `pollIntervalMs` one of at least 0. */
  constructor(
    root: string,
    {
      clock = systemClock,
      cacheBytes = CACHE_BYTES,
      pollIntervalMs = POLL_INTERVAL_MS,
      disk = nodeDisk,
    }: FileStoreOptions = {},
  ) {
    checkLimits({ cacheBytes });
    checkLimits({ pollIntervalMs }, 0);
    this.#root = root;
    this.clock = clock;
    this.#folder = new StoreFolder(root, disk);
    this.#due = new DueIndex(this.#folder);
    this.#heads = new SessionHeads(this.#folder);
    this.#watcher = new ChangeWatcher({
      folder: this.#folder,
      heads: this.#heads,
      wakeUps: this.#wakeUps,
      pollIntervalMs,
    });
    this.#shelf = new SessionShelf(
      cacheBytes,
      (key) => new FileSession(this.#folder, this.#due, key),
    );
  }

  get schema(): StoreSchema | undefined {
    return this.#schema;
  }

  async open(): Promise<void> {
    if (this.#isClosed) throw storeClosed();
    if (this.#isOpen) return;
    this.#schema = await this.#track(prepareFolder(this.#folder.disk, this.#root));
    this.#isOpen = true;
  }

  async load(key: SessionKey, want: Want = {}): Promise<View> {
    this.#checkOpen();
    return this.#use(key, (session) =>
      session.read((state) => {
        const now = this.clock.now();
        if (state === undefined || state.record === null)
          return { version: 0, record: null, rows: new Map(), tails: new Map(), now };
        const { version, record } = state;
        return { version, record, ...readWanted(state.rows, record, want), now };
      }),
    );
  }

  async commit(key: SessionKey, commit: Commit): Promise<"ok" | "conflict"> {
    this.#checkOpen();
    const copy = copyCommit(commit);
    const outcome = await this.#write(key, (session) => session.commit(copy));
    if (outcome === "ok") this.#wakeUps.wake(key);
    return outcome;
  }

  async append(appends: readonly Append[]): Promise<readonly AppendOutcome[]> {
    this.#checkOpen();
    const outcomes: AppendOutcome[] = [];
    await Promise.all(
      [...groupBySession(appends)].map(async (group) => {
        const { key } = group.appends[0];
        const answers = await this.#write(key, (session) => session.append(group.appends));
        for (const [index, answer] of answers.entries())
          outcomes[group.places[index] ?? 0] = answer;
        if (answers.includes("ok")) this.#wakeUps.wake(key);
      }),
    );
    return outcomes;
  }

  async range(key: SessionKey, query: RangeQuery): Promise<readonly Row[]> {
    this.#checkOpen();
    checkLimits({ limit: query.limit, maxBytes: query.maxBytes });
    return this.#use(key, (session) =>
      session.read((state) => (state === undefined ? [] : readRange(state.rows, query))),
    );
  }

  async due(query: DueQuery): Promise<readonly SessionKey[]> {
    this.#checkOpen();
    checkLimits({ limit: query.limit });
    return this.#track(this.#findDue(query));
  }

  watch(key: SessionKey, { signal }: { readonly signal: AbortSignal }): AsyncIterable<void> {
    this.#checkOpen();
    const changes = this.#wakeUps.watch(key, signal);
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = changes[Symbol.asyncIterator]();
        const stop = this.#watcher.add(key, signal);
        return {
          next: () => iterator.next(),
          return: async () => {
            stop();
            return (await iterator.return?.()) ?? { done: true, value: undefined };
          },
        };
      },
    };
  }

  async list(scope: Scope, query: ListQuery): Promise<SessionPage> {
    this.#checkOpen();
    checkLimits({ limit: query.limit });
    try {
      return listSessions(this.#listedOf(scope), scope, query);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  async *survey(): AsyncGenerator<SurveyedSession, void> {
    this.#checkOpen();
    try {
      yield* surveySessions(this.#folder, this.#heads);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  async sweep(): Promise<void> {
    this.#checkOpen();
    await this.#track(this.#sweep());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wakeUps.close();
    this.#watcher.close();
    while (this.#begun.size > 0) await Promise.allSettled(this.#begun);
  }

  async #findDue(query: DueQuery): Promise<readonly SessionKey[]> {
    if (!this.#isIndexed)
      for await (const session of everySession(this.#folder)) await this.#repairIndex(session);
    this.#isIndexed = true;
    return findDue(this.#due, this.#heads, { ...query, now: this.clock.now() });
  }

  async #repairIndex(session: string): Promise<void> {
    const record = this.#heads.find(session)?.record ?? null;
    if (record !== null) await this.#due.repair(session, record);
  }

  async #sweep(): Promise<void> {
    await sweepTemporary(this.#folder);
    for await (const session of everySession(this.#folder)) {
      const head = this.#heads.find(session);
      if (head === undefined) continue;
      if (head.record === null || isHalfDead(head))
        await this.#shelf.use(head.key, (opened) => opened.purge());
      else await sweepLife(this.#folder, head.place);
      await this.#repairIndex(session);
    }
    await sweepEmpty(this.#folder);
  }

  *#listedOf(scope: Scope): Generator<ListedSession, void> {
    const tenant = this.#folder.tenantOf(scope.tenant);
    for (const name of this.#folder.disk.names(tenant)) {
      const head = this.#heads.find(join(tenant, name));
      if (head?.record) yield { key: head.key, record: head.record };
    }
  }

  #write<Result>(
    key: SessionKey,
    work: (session: FileSession) => Promise<Result>,
  ): Promise<Result> {
    return this.#use(key, async (session) => {
      try {
        return await work(session);
      } finally {
        // Behind the answer, so that nobody waits for it. What fails is tried again after the next write.
        if (session.isUntidy) void ignoreFailure(this.#use(key, () => session.tidy()));
      }
    });
  }

  #use<Result>(key: SessionKey, work: (session: FileSession) => Promise<Result>): Promise<Result> {
    return this.#track(this.#shelf.use(key, work));
  }

  /** Closing waits for it. */
  async #track<Result>(work: Promise<Result>): Promise<Result> {
    this.#begun.add(work);
    try {
      return await work;
    } catch (error) {
      throw toStoreError(error);
    } finally {
      this.#begun.delete(work);
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw storeClosed();
    if (!this.#isOpen)
      throw new TurnkeepError(
        "FAILED_PRECONDITION",
        "The store is not open yet: call open() first.",
      );
  }
}
