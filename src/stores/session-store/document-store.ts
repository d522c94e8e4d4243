import {
  type Append,
  type AppendOutcome,
  type Clock,
  type Commit,
  createScope,
  type DueQuery,
  type HeadRecord,
  type ListedSession,
  type ListQuery,
  type RangeQuery,
  type Row,
  type Scope,
  type SessionKey,
  type SessionPage,
  type SessionStore,
  type StoreCapabilities,
  type SurveyedSession,
  TurnkeepError,
  UnknownOutcomeError,
  type View,
  type Want,
} from "../../ledger/index.ts";
import { checkLimits } from "../check-limits.ts";
import { copyCommit } from "../copy-commit.ts";
import { groupBySession } from "../group-by-session.ts";
import { listSessions } from "../list-sessions.ts";
import type { MemorySession } from "../memory-session.ts";
import { readRange } from "../read-range.ts";
import { NOTHING_FOUND, readWanted } from "../read-wanted.ts";
import { sessionName } from "../session-name.ts";
import { storeClosed } from "../store-closed.ts";
import { WakeUps } from "../wake-ups.ts";
import { unsuitable } from "./call-store.ts";
import {
  documentOf,
  findSession,
  isSameLedger,
  newSession,
  type SessionDocument,
} from "./session-document.ts";
import type { DocumentChange, SessionDocuments } from "./session-documents.ts";

/** How a session store is wrapped. */
export interface FromSessionStoreOptions {
  /** What an acknowledged write of the store survives: `none` by default, since the store does not tell. */
  readonly durability?: StoreCapabilities["durability"];
  /** Another clock, for tests. */
  readonly clock?: Clock;
}

/** A store of the ledger over documents, one for each session. */
export class DocumentStore implements SessionStore {
  readonly capabilities: StoreCapabilities;
  readonly clock: Clock;
  readonly survey?: () => AsyncGenerator<SurveyedSession, void>;
  readonly #documents: SessionDocuments;
  // Sessions that this process has seen: all of them once they were listed.
  readonly #seen = new Map<string, ListedSession>();
  readonly #wakeUps = new WakeUps();
  readonly #open = new Set<Promise<unknown>>();
  #listing: Promise<void> | undefined;
  #changes = 0;
  #isClosed = false;

  constructor(
    documents: SessionDocuments,
    { durability = "none", clock }: FromSessionStoreOptions & { readonly clock: Clock },
  ) {
    this.#documents = documents;
    this.clock = clock;
    this.capabilities = { durability, multiProcess: false, maxRowBytes: 16 * 1024 * 1024 };
    if (documents.list) this.survey = () => this.#surveyed();
  }

  async open(): Promise<void> {
    this.#checkOpen();
  }

  async load(key: SessionKey, want: Want = {}): Promise<View> {
    const session = await this.#read(key);
    const now = this.clock.now();
    if (session === undefined)
      return { version: 0, record: null, rows: NOTHING_FOUND, tails: NOTHING_FOUND, now };
    const { version, record } = session;
    return { version, record, ...readWanted(session.rows, record, want), now };
  }

  async commit(key: SessionKey, given: Commit): Promise<"ok" | "conflict"> {
    const commit = copyCommit(given);
    let outcome: "ok" | "conflict" = "conflict";
    await this.#update(key, (session = newSession(key)) => {
      const isCurrent = session.version === commit.expect && !session.collides(commit.put);
      outcome = isCurrent ? "ok" : "conflict";
      if (!isCurrent) return undefined;
      if (commit.record === null) return "remove";
      session.apply(commit.record, commit);
      return session;
    });
    return outcome;
  }

  async append(appends: readonly Append[]): Promise<readonly AppendOutcome[]> {
    this.#checkOpen();
    const outcomes: AppendOutcome[] = appends.map(() => "fenced");
    const writes = [...groupBySession(appends)].map(({ places, appends: own }) =>
      this.#update(own[0].key, (session) => {
        const results = own.map((append) => session?.append(append) ?? "fenced");
        for (const [index, place] of places.entries()) outcomes[place] = results[index]!;
        return results.includes("ok") ? session : undefined;
      }),
    );
    await Promise.all(writes);
    return outcomes;
  }

  async range(key: SessionKey, query: RangeQuery): Promise<readonly Row[]> {
    this.#checkOpen();
    checkLimits({ limit: query.limit, maxBytes: query.maxBytes });
    const session = await this.#read(key);
    return session === undefined ? [] : readRange(session.rows, query);
  }

  async due({ kind, agents, limit }: DueQuery): Promise<readonly SessionKey[]> {
    this.#checkOpen();
    checkLimits({ limit });
    if (this.#documents.list) await this.#listed();
    const now = this.clock.now();
    const timeOf = ({ record }: ListedSession): number =>
      (kind === "work" ? record.dueAt : record.sweepAt) ?? Infinity;
    return [...this.#seen.values()]
      .filter((session) => timeOf(session) <= now && (agents?.includes(session.key.agent) ?? true))
      .toSorted((one, other) => timeOf(one) - timeOf(other))
      .slice(0, limit)
      .map(({ key }) => key);
  }

  watch(key: SessionKey, { signal }: { readonly signal: AbortSignal }): AsyncIterable<void> {
    this.#checkOpen();
    return this.#wakeUps.watch(key, signal);
  }

  async list(scope: Scope, query: ListQuery): Promise<SessionPage> {
    this.#checkOpen();
    checkLimits({ limit: query.limit });
    await this.#listed();
    return listSessions(this.#seen.values(), scope, query);
  }

  async sweep(): Promise<void> {
    this.#checkOpen();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wakeUps.close();
    await Promise.allSettled(this.#open);
  }

  async #read(key: SessionKey): Promise<MemorySession | undefined> {
    this.#checkOpen();
    const changes = this.#changes;
    const document = await this.#while(this.#documents.read(key));
    const session = findSession(key, document, this.clock.now());
    // What was written meanwhile is newer.
    if (changes === this.#changes) this.#note(key, session);
    return session;
  }

  async #update(
    key: SessionKey,
    change: (session: MemorySession | undefined) => MemorySession | "remove" | undefined,
  ): Promise<void> {
    this.#checkOpen();
    let written: SessionDocument | "remove" | undefined;
    let session: MemorySession | "remove" | undefined;
    const changeDocument: DocumentChange = (current) => {
      session = change(findSession(key, current, this.clock.now()));
      written = session instanceof Object ? documentOf(session, current) : session;
      return written;
    };
    try {
      await this.#while(this.#documents.update(key, changeDocument));
    } catch (error) {
      if (!(await this.#wasWritten(key, written, error))) throw error;
    }
    if (session === undefined) return;
    this.#changes += 1;
    this.#note(key, session === "remove" ? undefined : session);
    this.#wakeUps.wake(key);
  }

  // A call that failed may have written before it did.
  async #wasWritten(
    key: SessionKey,
    written: SessionDocument | "remove" | undefined,
    cause: unknown,
  ): Promise<boolean> {
    if (written === undefined || !isFailure(cause)) return false;
    try {
      const found = (await this.#documents.read(key))?.ledger;
      return isSameLedger(found, written === "remove" ? undefined : written.ledger);
    } catch {
      throw new UnknownOutcomeError(cause);
    }
  }

  #note(key: SessionKey, session: { readonly record: HeadRecord } | undefined): void {
    const name = sessionName(key);
    if (session) this.#seen.set(name, { key, record: session.record });
    else this.#seen.delete(name);
  }

  async #listed(): Promise<void> {
    this.#listing ??= this.#while(this.#listAll()).catch((error: unknown) => {
      // The next call tries again.
      this.#listing = undefined;
      throw error;
    });
    await this.#listing;
  }

  async #listAll(): Promise<void> {
    if (this.#documents.list === undefined) throw cannotList();
    for await (const { ledger } of this.#documents.list()) {
      if (ledger === undefined) continue;
      const { tenant, agent, sessionId, record } = ledger;
      const key: SessionKey = { scope: createScope(tenant), agent, sessionId };
      // What was seen meanwhile is newer.
      if (!this.#seen.has(sessionName(key))) this.#note(key, { record });
    }
  }

  async *#surveyed(): AsyncGenerator<SurveyedSession, void> {
    this.#checkOpen();
    await this.#listed();
    for (const { key, record } of this.#seen.values())
      if (record.deletedAt === undefined) yield { key };
  }

  // Closing waits for it.
  #while<Result>(work: Promise<Result>): Promise<Result> {
    this.#open.add(work);
    const forget = (): void => void this.#open.delete(work);
    work.then(forget, forget);
    return work;
  }

  #checkOpen(): void {
    if (this.#isClosed) throw storeClosed();
  }
}

function isFailure(error: unknown): boolean {
  return TurnkeepError.is(error) && error.status === "UNAVAILABLE";
}

function cannotList(): TurnkeepError {
  return unsuitable(
    "This session store cannot list sessions. Give the object that is passed to fromSessionStore a 'list'.",
  );
}
