import {
  type Append,
  type AppendOutcome,
  type Clock,
  type Commit,
  type DueQuery,
  type HeadRecord,
  type ListQuery,
  type RangeQuery,
  type Row,
  type Scope,
  type SessionKey,
  type SessionPage,
  type SessionStore,
  type StoreCapabilities,
  type SurveyedSession,
  systemClock,
  type View,
  type Want,
} from "../../ledger/index.ts";
import { checkLimits } from "../check-limits.ts";
import { sessionName } from "../session-name.ts";
import { storeClosed } from "../store-closed.ts";
import { WakeUps } from "../wake-ups.ts";
import { listSessions } from "../list-sessions.ts";
import { MemorySession } from "../memory-session.ts";
import { readRange } from "../read-range.ts";
import { NOTHING_FOUND, readWanted } from "../read-wanted.ts";

/** What a store in memory may be told: another clock, for tests. */
export interface MemoryStoreOptions {
  readonly clock?: Clock;
}

/**
 * Keeps sessions as long as the process lives: for tests, trials and state that may be lost. Values are kept as text and records
 * frozen, so nothing a caller does to what it read or wrote reaches another one.
 */
export class MemoryStore implements SessionStore {
  readonly capabilities: StoreCapabilities = {
    durability: "none",
    multiProcess: false,
    maxRowBytes: 256 * 1024 * 1024,
  };
  readonly clock: Clock;
  readonly #sessions = new Map<string, MemorySession>();
  // Only sessions with a time set, so that asking for due ones does not pass over all that sleep.
  readonly #timed = { work: new Set<MemorySession>(), sweep: new Set<MemorySession>() };
  readonly #wakeUps = new WakeUps();
  #isClosed = false;

  constructor({ clock = systemClock }: MemoryStoreOptions = {}) {
    this.clock = clock;
  }

  async open(): Promise<void> {
    this.#checkOpen();
  }

  async load(key: SessionKey, want: Want = {}): Promise<View> {
    this.#checkOpen();
    const session = this.#find(key);
    const now = this.clock.now();
    if (session === undefined)
      return { version: 0, record: null, rows: NOTHING_FOUND, tails: NOTHING_FOUND, now };
    const { version, record } = session;
    const { rows, tails } = readWanted(session.rows, record, want);
    return { version, record, rows, tails, now };
  }

  async commit(key: SessionKey, commit: Commit): Promise<"ok" | "conflict"> {
    this.#checkOpen();
    const name = sessionName(key);
    const session = this.#sessions.get(name) ?? new MemorySession(name, key);
    if (session.version !== commit.expect || session.collides(commit.put)) return "conflict";
    if (commit.record === null) this.#forget(session);
    else this.#write(session, commit.record, commit);
    this.#wakeUps.wake(key);
    return "ok";
  }

  async append(appends: readonly Append[]): Promise<readonly AppendOutcome[]> {
    this.#checkOpen();
    return appends.map((append) => {
      const outcome = this.#find(append.key)?.append(append) ?? "fenced";
      if (outcome === "ok") this.#wakeUps.wake(append.key);
      return outcome;
    });
  }

  async range(key: SessionKey, query: RangeQuery): Promise<readonly Row[]> {
    this.#checkOpen();
    checkLimits({ limit: query.limit, maxBytes: query.maxBytes });
    const session = this.#find(key);
    return session === undefined ? [] : readRange(session.rows, query);
  }

  async due({ kind, agents, limit }: DueQuery): Promise<readonly SessionKey[]> {
    this.#checkOpen();
    checkLimits({ limit });
    const now = this.clock.now();
    const timeOf = (session: MemorySession): number =>
      (kind === "work" ? session.record.dueAt : session.record.sweepAt) ?? Infinity;
    return [...this.#timed[kind]]
      .filter((session) => timeOf(session) <= now && (agents?.includes(session.key.agent) ?? true))
      .toSorted((one, other) => timeOf(one) - timeOf(other))
      .slice(0, limit)
      .map((session) => session.key);
  }

  watch(key: SessionKey, { signal }: { readonly signal: AbortSignal }): AsyncIterable<void> {
    this.#checkOpen();
    return this.#wakeUps.watch(key, signal);
  }

  async list(scope: Scope, query: ListQuery): Promise<SessionPage> {
    this.#checkOpen();
    checkLimits({ limit: query.limit });
    return listSessions(this.#sessions.values(), scope, query);
  }

  async *survey(): AsyncGenerator<SurveyedSession, void> {
    this.#checkOpen();
    for (const { key, record } of this.#sessions.values())
      if (record.deletedAt === undefined) yield { key };
  }

  async sweep(): Promise<void> {
    this.#checkOpen();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wakeUps.close();
    this.#sessions.clear();
    this.#timed.work.clear();
    this.#timed.sweep.clear();
  }

  /** UTF-8 bytes of all keys, values and records. Reads everything: for measurements. */
  storedBytes(): number {
    const encoder = new TextEncoder();
    let bytes = 0;
    for (const [name, session] of this.#sessions) {
      bytes += encoder.encode(name + JSON.stringify(session.record)).length;
      for (const [key, value] of session.rows) bytes += encoder.encode(key + value).length;
    }
    return bytes;
  }

  #find(key: SessionKey): MemorySession | undefined {
    return this.#sessions.get(sessionName(key));
  }

  #write(session: MemorySession, record: HeadRecord, commit: Commit): void {
    session.apply(record, commit);
    if (session.version === 1) this.#sessions.set(session.name, session);
    setMember(this.#timed.work, session, record.dueAt !== null);
    setMember(this.#timed.sweep, session, record.sweepAt !== null);
  }

  #forget(session: MemorySession): void {
    this.#sessions.delete(session.name);
    this.#timed.work.delete(session);
    this.#timed.sweep.delete(session);
  }

  #checkOpen(): void {
    if (this.#isClosed) throw storeClosed();
  }
}

function setMember<Item>(items: Set<Item>, item: Item, isMember: boolean): void {
  if (isMember) items.add(item);
  else items.delete(item);
}
