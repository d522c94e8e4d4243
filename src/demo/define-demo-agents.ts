import type { AnyLocalAgent, SessionStore } from "../agent/index.ts";
import { systemTimers, type Timers } from "../ledger/index.ts";
import { defineCashier } from "./agents/cashier.ts";
import { defineCellar } from "./agents/cellar.ts";
import { defineConcierge } from "./agents/concierge.ts";
import { defineManager } from "./agents/manager.ts";
import { defineScribe } from "./agents/scribe.ts";
import { defineStargazer } from "./agents/stargazer.ts";
import type { Model } from "./model.ts";
import { scriptedModel } from "./scripted-model.ts";

export interface DemoOptions {
  readonly store: SessionStore;
  /** Who answers: the script that comes with the demo, unless told. */
  readonly model?: Model;
  /** How long pauses last; for tests. */
  readonly timers?: Timers;
}

/** A handful of agents that between them show what there is. */
export function defineDemoAgents({
  store,
  timers = systemTimers,
  model = scriptedModel(timers),
}: DemoOptions): readonly AnyLocalAgent[] {
  const parts = { store, model, timers };
  const [concierge, scribe] = [defineConcierge(parts), defineScribe(parts)];
  return [
    concierge,
    defineCashier(parts),
    scribe,
    defineStargazer(parts),
    defineManager(parts, [concierge, scribe]),
    defineCellar(parts),
  ];
}
