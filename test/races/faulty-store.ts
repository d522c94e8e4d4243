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
  TurnkeepError,
  UnknownOutcomeError,
  type View,
  type Want,
} from "../../src/ledger/index.ts";

/** How a write fails: refused; or its answer is lost, before anything was written or after all of it was. */
export const FAULTS = ["refused", "lost-unwritten", "lost-written"] as const;
export type Fault = (typeof FAULTS)[number];

export interface FaultPlan {
  readonly fault: Fault;
  /** Which write fails, from 1. */
  readonly write: number;
  /** What others do between the write and the loss of its answer. */
  readonly meanwhile?: () => Promise<void>;
}

/** A store whose n-th write fails once. */
export class FaultyStore implements SessionStore {
  readonly capabilities: StoreCapabilities;
  readonly clock: SessionStore["clock"];
  readonly #store: SessionStore;
  readonly #plan: FaultPlan;
  #writes = 0;

  constructor(store: SessionStore, plan: FaultPlan) {
    this.#store = store;
    this.#plan = plan;
    this.capabilities = store.capabilities;
    this.clock = store.clock;
  }

  /** Whether the write that was to fail came. */
  get hasStruck(): boolean {
    return this.#writes >= this.#plan.write;
  }

  async commit(key: SessionKey, commit: Commit): Promise<"ok" | "conflict"> {
    return await this.#write(() => this.#store.commit(key, commit));
  }

  async append(appends: readonly Append[]): Promise<readonly AppendOutcome[]> {
    return await this.#write(() => this.#store.append(appends));
  }

  async open(): Promise<void> {
    await this.#store.open();
  }

  async load(key: SessionKey, want?: Want): Promise<View> {
    return await this.#store.load(key, want);
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

  async #write<Outcome>(write: () => Promise<Outcome>): Promise<Outcome> {
    this.#writes += 1;
    const { fault, write: chosen, meanwhile } = this.#plan;
    if (this.#writes !== chosen) return await write();
    if (fault === "refused") {
      throw new TurnkeepError("UNAVAILABLE", "The store refuses this write.", { retryable: true });
    }
    if (fault === "lost-written") await write();
    await meanwhile?.();
    throw new UnknownOutcomeError(new Error("The connection was cut by a test."));
  }
}
