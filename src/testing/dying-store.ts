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
} from "../ledger/index.ts";

/** When a process dies: just before a write reaches the store, or just after. */
export type Moment = "before" | "after";

/** A store as a process sees it that dies at its n-th write: from then on no call comes back. */
export class DyingStore implements SessionStore {
  readonly capabilities: StoreCapabilities;
  readonly clock: SessionStore["clock"];
  /** Resolves when the process has died. */
  readonly died: Promise<void>;
  readonly #store: SessionStore;
  readonly #at: { readonly write: number; readonly moment: Moment };
  #die: () => void = () => {};
  #isDead = false;
  #writes = 0;

  constructor(store: SessionStore, at: { readonly write: number; readonly moment: Moment }) {
    this.#store = store;
    this.#at = at;
    this.capabilities = store.capabilities;
    this.clock = store.clock;
    this.died = new Promise((resolve) => (this.#die = resolve));
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  open(): Promise<void> {
    return this.#alive(() => this.#store.open());
  }

  load(key: SessionKey, want?: Want): Promise<View> {
    return this.#alive(() => this.#store.load(key, want));
  }

  commit(key: SessionKey, commit: Commit): Promise<"ok" | "conflict"> {
    return this.#write(() => this.#store.commit(key, commit));
  }

  append(appends: readonly Append[]): Promise<readonly AppendOutcome[]> {
    return this.#write(() => this.#store.append(appends));
  }

  range(key: SessionKey, query: RangeQuery): Promise<readonly Row[]> {
    return this.#alive(() => this.#store.range(key, query));
  }

  due(query: DueQuery): Promise<readonly SessionKey[]> {
    return this.#alive(() => this.#store.due(query));
  }

  watch(key: SessionKey, options: { readonly signal: AbortSignal }): AsyncIterable<void> {
    return this.#store.watch(key, options);
  }

  list(scope: Scope, query: ListQuery): Promise<SessionPage> {
    return this.#alive(() => this.#store.list(scope, query));
  }

  sweep(): Promise<void> {
    return this.#alive(() => this.#store.sweep());
  }

  async close(): Promise<void> {}

  async #write<Answer>(write: () => Promise<Answer>): Promise<Answer> {
    if (this.#isDead) return await NEVER;
    this.#writes += 1;
    if (this.#writes !== this.#at.write) return await this.#alive(write);
    this.#isDead = true;
    if (this.#at.moment === "after") await write();
    this.#die();
    return await NEVER;
  }

  // An answer that comes when the process is dead reaches nobody.
  async #alive<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    if (this.#isDead) return await NEVER;
    const answer = await call();
    return this.#isDead ? await NEVER : answer;
  }
}

const NEVER = new Promise<never>(() => {});
