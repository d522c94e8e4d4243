import type { SessionStore } from "turnkeep";
import {
  fromSessionStore,
  type PlainSessionStore,
  type SnapshotSessionStore,
} from "turnkeep/stores/session-store";
import { runContract, storeContract } from "turnkeep/testing";
import { describe, expect, test } from "vitest";
import {
  genkitFileStore,
  genkitMemoryStore,
  ListingSessionStore,
  TextSessionStore,
} from "./session-stores.ts";

// What no wrapped store can promise, since two processes that write at once overwrite each other.
const NEEDS_SEVERAL_PROCESSES = storeContract
  .filter(({ needs }) => needs === "sharing")
  .map(({ name }) => name);

// What fails without `list`: nothing tells which sessions there are.
const NEEDS_LIST = [
  "commit: on a version of a session that does not exist conflicts and creates nothing",
  "commit: no record forgets the session with all its rows",
  "list: a scope without sessions has one empty page",
  "list: gives keys and records, last updated first",
  "list: pages miss nothing and repeat nothing, also among sessions updated at the same time",
  "list: pages go on from a session that is gone meanwhile",
  "list: only of the agent asked for, page by page",
  "list: active are those with a turn running or queued, idle all others",
  "list: leaves out deleted sessions",
  "list: refuses a cursor that it did not give",
  "tenants: load reads and writes only what is the tenant's own",
  "tenants: commit reads and writes only what is the tenant's own",
  "tenants: append reads and writes only what is the tenant's own",
  "tenants: range reads and writes only what is the tenant's own",
  "tenants: due reads and writes only what is the tenant's own",
  "tenants: watch reads and writes only what is the tenant's own",
  "tenants: list reads and writes only what is the tenant's own",
  "names: any text names a session of its own, as tenant, agent or id",
  // After a restart nothing tells which sessions have unfinished turns either.
  "life: what was acknowledged is there when the store is opened again",
];

const STORES: readonly (readonly [
  name: string,
  create: () => PlainSessionStore | SnapshotSessionStore,
  failing: readonly string[],
])[] = [
  ["get, save, list and delete", () => new ListingSessionStore(), []],
  ["get and save", () => new TextSessionStore(), NEEDS_LIST],
  ["Genkit's memory", genkitMemoryStore, NEEDS_LIST],
  ["Genkit's files", genkitFileStore, NEEDS_LIST],
];

describe("the store contract over a session store", () => {
  test.each(STORES)("of %s holds but for the listed cases", async (_, create, failing) => {
    const kept = new WeakMap<SessionStore, PlainSessionStore | SnapshotSessionStore>();
    const wrap = (store: PlainSessionStore | SnapshotSessionStore): SessionStore => {
      const wrapped = fromSessionStore(store, { durability: "process-crash" });
      kept.set(wrapped, store);
      return wrapped;
    };
    const report = await runContract(storeContract, {
      create: async () => wrap(create()),
      reopen: async (store) => wrap(kept.get(store)!),
    });
    expect(report.skipped).toEqual(NEEDS_SEVERAL_PROCESSES);
    expect(report.failures.map(({ name }) => name)).toEqual(failing);
  });
});
