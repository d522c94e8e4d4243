import type {
  Append,
  AppendOutcome,
  Commit,
  DueQuery,
  ListQuery,
  RangeQuery,
  Row,
  Scope,
  SessionKey,
  SessionPage,
  SessionStore,
  StoreCapabilities,
  View,
  Want,
} from "../src/ledger/index.ts";

/** Counts what passes through to the store inside. */
export class CountingStore implements SessionStore {
  readonly capabilities: StoreCapabilities;
  readonly clock: SessionStore["clock"];
  /** UTF-8 bytes of the rows and records written. */
  bytesWritten = 0;
  rowsLoaded = 0;
  readonly #store: SessionStore;

  constructor(store: SessionStore) {
    this.#store = store;
    this.capabilities = store.capabilities;
    this.clock = store.clock;
  }

  async open(): Promise<void> {
    await this.#store.open();
  }

  async load(key: SessionKey, want?: Want): Promise<View> {
    const view = await this.#store.load(key, want);
    this.rowsLoaded += view.rows.size;
    return view;
  }

  async commit(key: SessionKey, commit: Commit): Promise<"ok" | "conflict"> {
    this.bytesWritten += Buffer.byteLength(JSON.stringify(commit.record)) + bytesOf(commit.put);
    return await this.#store.commit(key, commit);
  }

  async append(appends: readonly Append[]): Promise<readonly AppendOutcome[]> {
    for (const { rows } of appends) this.bytesWritten += bytesOf(rows);
    return await this.#store.append(appends);
  }

  async range(key: SessionKey, query: RangeQuery): Promise<readonly Row[]> {
    return await this.#store.range(key, query);
  }

  async due(query: DueQuery): Promise<readonly SessionKey[]> {
    return await this.#store.due(query);
  }

  watch(key: SessionKey, options: { readonly signal: AbortSignal }): AsyncIterable<void> {
    return this.#store.watch(key, options);
  }

  async list(scope: Scope, query: ListQuery): Promise<SessionPage> {
    return await this.#store.list(scope, query);
  }

  async sweep(): Promise<void> {
    await this.#store.sweep();
  }

  async close(): Promise<void> {
    await this.#store.close();
  }
}

function bytesOf(rows: readonly Row[] = []): number {
  return rows.reduce(
    (sum, { key, value }) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
}
