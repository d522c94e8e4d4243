import { type AnyLocalAgent, lookOnly } from "../agent/index.ts";
import type { SessionStore } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { loadAgents } from "./load-agents.ts";
import { nameOfPlace, openStoreAt } from "./open-store-at.ts";
import type { StoreArguments } from "./store-arguments.ts";

/** A store to look at. */
export interface ChosenStore {
  readonly name: string;
  readonly store: SessionStore;
  /** Whose sessions to look at; everybody's when none is named. */
  readonly tenants: readonly string[];
  /** The agents of the module that keep their sessions in it; none when the store was named itself. */
  readonly agents: readonly AnyLocalAgent[];
}

/**
 * The stores that the arguments name: one, or those of a module's agents. They are open, and no agent works on anything.
 *
 * @throws TurnkeepError FAILED_PRECONDITION when no agent of the module has a store, and whatever keeps a store or the module from being opened.
 */
export async function chooseStores(given: StoreArguments): Promise<readonly ChosenStore[]> {
  const { module, store, tenants } = given;
  if (store !== undefined) {
    const opened = await openStoreAt(store, given);
    const name = nameOfPlace(store);
    return [{ name, store: opened, tenants, agents: [] }];
  }
  lookOnly();
  const chosen = byStore(await loadAgents(module ?? ""), tenants);
  if (chosen.length === 0) {
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      `No agent of ${module} has a store: there is nothing to look at.`,
    );
  }
  for (const { store: own } of chosen) await own.open();
  return chosen;
}

function byStore(
  agents: readonly AnyLocalAgent[],
  tenants: readonly string[],
): readonly ChosenStore[] {
  const groups = new Map<SessionStore, AnyLocalAgent[]>();
  for (const agent of agents) {
    if (agent.store) groups.set(agent.store, [...(groups.get(agent.store) ?? []), agent]);
  }
  return [...groups].map(([store, group]) => ({
    name: `the store of ${group.map(({ name }) => name).join(", ")}`,
    store,
    tenants,
    agents: group,
  }));
}
