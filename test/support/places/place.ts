import type { Clock, SessionStore } from "../../../src/ledger/index.ts";

/** Somewhere the data of a store can be: empty, and for one test alone. */
export interface Place {
  /** What another process needs to open the same data. JSON, and absent where no other process can. */
  readonly settings?: PlaceSettings;
  /** May be called again, for a second store on the same data. Whoever opens a store closes it. */
  readonly open: (options?: { readonly clock?: Clock }) => Promise<SessionStore>;
  /** Leaves nothing behind. */
  readonly remove: () => Promise<void>;
}

export interface PlaceSettings {
  readonly kind: string;
  readonly [name: string]: string;
}
