import type { SessionStore } from "../agent/index.ts";
import type { Timers } from "../ledger/index.ts";
import type { Model } from "./model.ts";

/** What all agents of the demo are made of. */
export interface DemoParts {
  readonly store: SessionStore;
  readonly model: Model;
  readonly timers: Timers;
}
