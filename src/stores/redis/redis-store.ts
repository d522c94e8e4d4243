import {
  type Append,
  type AppendOutcome,
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
  TurnkeepError,
  type View,
  type Want,
} from "../../ledger/index.ts";
import { checkLimits } from "../check-limits.ts";
import { unpackRows } from "../packed-value.ts";
import { storeClosed } from "../store-closed.ts";
import { WakeUps } from "../wake-ups.ts";
import { APPEND_SCRIPT } from "./append-script.ts";
import { ChangeChannels } from "./change-channels.ts";
import { COMMIT_SCRIPTS, toCommitCall } from "./commit-script.ts";
import { LOAD_SCRIPT, toView, toWanted } from "./load-script.ts";
import { inspectServers, teachScripts } from "./prepare-servers.ts";
import { RANGE_SCRIPT } from "./range-script.ts";
import { DUE_SCRIPT, readDue } from "./read-due.ts";
import { LIST_SCRIPT, readList } from "./read-list.ts";
import { RedisConnection } from "./redis-connection.ts";
import { RedisKeys, type SessionKeys } from "./redis-keys.ts";
import { keptRow, toMember } from "./redis-rows.ts";
import { checkOptions, type RedisStoreOptions } from "./redis-store-options.ts";
import { settleBuckets } from "./store-layout.ts";
import { surveySessions } from "./survey-sessions.ts";

const SCRIPTS = [
  ...COMMIT_SCRIPTS,
  APPEND_SCRIPT,
  LOAD_SCRIPT,
  RANGE_SCRIPT,
  DUE_SCRIPT,
  LIST_SCRIPT,
];

/** Redis takes up to 512 MiB, but a script holds all that it is given several times over, while everybody else waits. */
const MAX_ROW_BYTES = 32 * 1024 * 1024;

/** What there is once the server is known to be right. */
interface Opened {
  readonly keys: RedisKeys;
  readonly durability: StoreCapabilities["durability"];
  readonly schema: StoreSchema;
}

/** Keeps sessions in a Redis or Valkey server or cluster. What an acknowledged write survives is for the server's settings to say. */
export class RedisStore implements SessionStore {
  readonly #options: RedisStoreOptions;
  readonly #connection: RedisConnection;
  readonly #wakeUps = new WakeUps();
  readonly #channels: ChangeChannels;
  readonly #begun = new Set<Promise<unknown>>();
  #opened: Opened | undefined;
  #isClosed = false;

  /** @throws TurnkeepError INVALID_ARGUMENT when an option is not what it must be. */
  constructor(options: RedisStoreOptions) {
    const { timeoutMs } = checkOptions(options);
    this.#options = options;
    this.#connection = new RedisConnection(options.client, timeoutMs);
    this.#channels = new ChangeChannels(options.client, this.#wakeUps);
  }

  /** Durability is "none" until the store is open. */
  get capabilities(): StoreCapabilities {
    const durability = this.#opened?.durability ?? "none";
    return { durability, multiProcess: true, maxRowBytes: MAX_ROW_BYTES };
  }

  get schema(): StoreSchema | undefined {
    return this.#opened?.schema;
  }

  /**
   * Asks the server for its settings.
   *
   * @throws TurnkeepError FAILED_PRECONDITION when they do not let it keep sessions; the message names the setting to change.
   */
  async open(): Promise<void> {
    if (this.#isClosed) throw storeClosed();
    if (this.#opened !== undefined) return;
    const { prefix, buckets } = this.#options;
    const durability = await inspectServers(this.#connection, this.#options);
    const layout = await settleBuckets(this.#connection, prefix, buckets);
    await teachScripts(this.#connection, SCRIPTS);
    const keys = new RedisKeys(prefix, layout.buckets);
    this.#opened ??= { keys, durability, schema: layout.schema };
  }

  async load(key: SessionKey, want: Want = {}): Promise<View> {
    return this.#use(async (keys) => {
      const { head, rows } = keys.ofSession(key);
      const answer = await this.#connection.run(LOAD_SCRIPT, [head, rows], [toWanted(want)]);
      const view = toView(answer, want);
      const { clock } = this.#options;
      return clock === undefined ? view : { ...view, now: clock.now() };
    });
  }

  async commit(key: SessionKey, commit: Commit): Promise<"ok" | "conflict"> {
    return this.#use(async (keys) => {
      const call = toCommitCall(keys.ofSession(key), key, commit);
      const verdict = await this.#connection.runOnce(call.script, call.keys, call.values);
      return verdict === "ok" ? "ok" : "conflict";
    });
  }

  async append(appends: readonly Append[]): Promise<readonly AppendOutcome[]> {
    return this.#use((keys) =>
      Promise.all(appends.map((append) => this.#append(keys.ofSession(append.key), append))),
    );
  }

  async range(key: SessionKey, query: RangeQuery): Promise<readonly Row[]> {
    checkLimits({ limit: query.limit, maxBytes: query.maxBytes });
    return this.#use(async (keys) => {
      const { rows } = keys.ofSession(key);
      const [from, to] = query.range;
      const values = [from, to, query.floorWithin ?? from, query.limit, query.maxBytes];
      const answer = await this.#connection.run(RANGE_SCRIPT, [rows], values);
      return unpackRows((answer as readonly string[]).map(keptRow), query);
    });
  }

  async due(query: DueQuery): Promise<readonly SessionKey[]> {
    checkLimits({ limit: query.limit });
    const now = this.#options.clock?.now();
    return this.#use((keys) => readDue(this.#connection, keys, { ...query, now }));
  }

  watch(key: SessionKey, { signal }: { readonly signal: AbortSignal }): AsyncIterable<void> {
    const { channel } = this.#getKeys().ofSession(key);
    const changes = this.#wakeUps.watch(key, signal);
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = changes[Symbol.asyncIterator]();
        if (signal.aborted) return iterator;
        const stop = this.#channels.listen(channel, key);
        return endingWith(iterator, signal, stop);
      },
    };
  }

  async list(scope: Scope, query: ListQuery): Promise<SessionPage> {
    checkLimits({ limit: query.limit });
    return this.#use((keys) => readList(this.#connection, keys, { ...query, scope }));
  }

  survey(): AsyncIterable<SurveyedSession> {
    return surveySessions(this.#connection, this.#getKeys());
  }

  /** Does nothing: Redis itself gives memory back, and rewrites its log when that has grown. */
  async sweep(): Promise<void> {
    this.#getKeys();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#wakeUps.close();
    this.#channels.close();
    await Promise.allSettled(this.#begun);
    this.#connection.letGo();
    this.#opened = undefined;
    this.#options.closeClient?.();
  }

  async #append(keys: SessionKeys, { fence, rows }: Append): Promise<AppendOutcome> {
    const values = [fence.epoch, fence.snapshotId, keys.channel, ...rows.map(toMember)];
    const verdict = await this.#connection.run(APPEND_SCRIPT, [keys.head, keys.rows], values);
    return verdict === "ok" ? "ok" : "fenced";
  }

  /** Does something that `close()` waits for. */
  async #use<Result>(work: (keys: RedisKeys) => Promise<Result>): Promise<Result> {
    const begun = work(this.#getKeys());
    this.#begun.add(begun);
    try {
      return await begun;
    } finally {
      this.#begun.delete(begun);
    }
  }

  #getKeys(): RedisKeys {
    if (this.#isClosed) throw storeClosed();
    if (this.#opened !== undefined) return this.#opened.keys;
    throw new TurnkeepError("FAILED_PRECONDITION", "The store is not open yet: call open() first.");
  }
}

/** The same iteration, and a call when it ends by its reader or by the signal. */
function endingWith(
  iterator: AsyncIterator<void, undefined>,
  signal: AbortSignal,
  call: () => void,
): AsyncIterator<void, undefined> {
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener("abort", end);
    call();
  };
  signal.addEventListener("abort", end);
  return {
    next: async () => {
      const result = await iterator.next();
      if (result.done) end();
      return result;
    },
    return: async () => {
      end();
      await iterator.return?.();
      return { done: true, value: undefined };
    },
  };
}
