import type { HeadRecord } from "./head-record.ts";
import type { Clock } from "./ports.ts";
import type { KeyRange } from "./row-key.ts";
import type { Scope, SessionKey } from "./scope.ts";

/**
 * What a driver offers the ledger. It keeps, per session, one versioned record and rows that are inserted once;
 * it knows nothing of turns or agents. `turnkeep/testing` has the contract every driver passes.
 *
 * Every call rejects with a `TurnkeepError`: UNAVAILABLE and retryable when the storage is full, locked or away.
 */
export interface SessionStore {
  readonly capabilities: StoreCapabilities;

  /** Known once the store is open; absent where data has no versions. */
  readonly schema?: StoreSchema | undefined;

  /** The store's clock, where asking it is free. Then a step may build on what its caller saw last, and reads only if that was old. */
  readonly clock?: Clock | undefined;

  /** Prepares the schema and checks the engine's settings. Safe to call from several processes at once, and twice. */
  open(): Promise<void>;

  /** One consistent read of the record and whatever rows are wanted, with the store's clock. */
  load(key: SessionKey, want?: Want): Promise<View>;

  /**
   * The one read-modify-write. `"ok"`: everything in it is durable. `"conflict"`: the version had moved or a row to put
   * was there already, and nothing was written. Rejecting with {@link UnknownOutcomeError} means that either may be true.
   */
  commit(key: SessionKey, commit: Commit): Promise<"ok" | "conflict">;

  /**
   * Adds rows for turns that still hold their slot: the record's epoch and active turn must be those of the fence. A row that is
   * there already with the same value counts as written; one with another value fences its whole append. Each append stands alone;
   * handing over many at once lets a store make them durable together.
   */
  append(appends: readonly Append[]): Promise<readonly AppendOutcome[]>;

  /** Rows in key order, as many as the bounds allow and at least one if there is one. */
  range(key: SessionKey, query: RangeQuery): Promise<readonly Row[]>;

  /** Sessions of all tenants with work or sweeping due by the store's clock, longest due first. A hint: may repeat, must not miss for ever. */
  due(query: DueQuery): Promise<readonly SessionKey[]>;

  /** Yields when the session may have changed. A hint: may come late, twice or for nothing. Ends when the signal aborts. */
  watch(key: SessionKey, options: { readonly signal: AbortSignal }): AsyncIterable<void>;

  /** Sessions of the scope that are not deleted, last updated first. */
  list(scope: Scope, query: ListQuery): Promise<SessionPage>;

  /**
   * Every session that is not deleted, of all tenants, whatever became of its record: for tools that look after a whole store, never for what serves
   * people. One that changes meanwhile may come twice. Absent where a store cannot tell.
   */
  survey?(): AsyncIterable<SurveyedSession>;

  /** Gives back space that removed rows left behind. */
  sweep(): Promise<void>;

  /** Closes what the store opened itself. Later calls reject. */
  close(): Promise<void>;
}

export interface StoreCapabilities {
  /** What an acknowledged write survives. */
  readonly durability: "none" | "process-crash" | "power-loss" | "replicated";
  /** Several processes may open the same data at once. */
  readonly multiProcess: boolean;
  readonly maxRowBytes: number;
}

/** How the data of a store is laid out, by a number that rises with every change of it. */
export interface StoreSchema {
  /** What was there when the store was opened; 0 when nothing was. */
  readonly found: number;
  /** What it was brought to. */
  readonly version: number;
}

/** A session by its name or, where nothing tells it any more, by the place where it lies. */
export type SurveyedSession =
  | { readonly key: SessionKey; readonly place?: undefined }
  | { readonly key?: undefined; readonly place: string };

/** Values are JSON text that the store hands back unchanged. */
export interface Row {
  readonly key: string;
  readonly value: string;
}

export interface Want {
  /** Rows by name. */
  readonly rows?: readonly string[];
  /** For each prefix, the row with the greatest key under it. */
  readonly tails?: readonly string[];
  /** Rows by range. */
  readonly ranges?: readonly KeyRange[];
  /** Rows of the ranges that the record's `chain` lists (`"head"`), or the `chain` inside the named row's JSON value. */
  readonly chainOf?: "head" | { readonly row: string };
}

export interface View {
  /** 0 when the session was never written. */
  readonly version: number;
  readonly record: HeadRecord | null;
  /** What was found of `rows`, `ranges` and `chainOf`, by key, in no particular order. */
  readonly rows: ReadonlyMap<string, string>;
  /** What was found of `tails`, by prefix. */
  readonly tails: ReadonlyMap<string, Row>;
  /** The store's clock, in milliseconds. */
  readonly now: number;
}

export interface Commit {
  /** The version the caller read; 0 when the session must not exist yet. */
  readonly expect: number;
  /** `null` forgets the session: record and all rows. */
  readonly record: HeadRecord | null;
  /** None of these may exist, not even among the rows this commit drops. */
  readonly put?: readonly Row[] | undefined;
  /** Rows to remove. `"all"` removes every row of the session before `put` is written. */
  readonly drop?: readonly KeyRange[] | "all" | undefined;
}

export interface Append {
  readonly key: SessionKey;
  readonly fence: Fence;
  readonly rows: readonly Row[];
}

/** Identifies the holder of a session's slot: `snapshotId` is that of the active turn. */
export interface Fence {
  readonly snapshotId: string;
  readonly epoch: number;
}

export type AppendOutcome = "ok" | "fenced";

export interface RangeQuery {
  readonly range: KeyRange;
  /** Begin with the greatest key at or below the start of the range, if one lies at or above this key. */
  readonly floorWithin?: string;
  readonly limit: number;
  readonly maxBytes: number;
}

export interface DueQuery {
  readonly kind: "work" | "sweep";
  /** Only sessions of these agents. */
  readonly agents?: readonly string[];
  readonly limit: number;
}

export interface ListQuery {
  readonly agent?: string;
  /** `active`: a turn is running or queued. */
  readonly activity?: "active" | "idle";
  /** `next` of the page before. */
  readonly after?: string;
  readonly limit: number;
}

export interface SessionPage {
  readonly sessions: readonly ListedSession[];
  /** Absent on the last page. */
  readonly next?: string;
}

export interface ListedSession {
  readonly key: SessionKey;
  readonly record: HeadRecord;
}
