import type { SessionStore } from "../../ledger/index.ts";

/** What a driver's author hands over. */
export interface StoreTools {
  /** A new store on empty data. The kit opens and closes it. */
  readonly create: () => Promise<SessionStore>;
  /**
   * A second store on the data of the given one, which may be open or closed. The kit opens and closes it. Needed for what a
   * driver promises beyond one process; without it those cases are skipped.
   */
  readonly reopen?: (store: SessionStore) => Promise<SessionStore>;
}

/** What a case is given, with `reopen` there if the case needs it. */
export interface CaseTools {
  readonly reopen: () => Promise<SessionStore>;
}

/** One promise of the store contract. */
export interface ContractCase {
  readonly name: string;
  /** What the store must promise for the case to count: to keep data when closed, or to share it. */
  readonly needs?: "durability" | "sharing";
  /** Rejects, with an assertion error or the store's own, when the promise is broken. */
  readonly run: (store: SessionStore, tools: CaseTools) => Promise<void>;
}
