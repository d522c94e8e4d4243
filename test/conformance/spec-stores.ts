import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionStore } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { openSqliteStore } from "turnkeep/stores/sqlite";

export interface OpenedStore {
  readonly store: SessionStore;
  /** Closes the store and removes its files. */
  readonly remove: () => Promise<void>;
}

/** Opens an empty store for one case. */
type OpenStore = () => Promise<OpenedStore>;

/** The stores that cases are run over. */
export const SPEC_STORES: { readonly memory: OpenStore; readonly sqlite: OpenStore } = {
  memory: openMemory,
  sqlite: openSqlite,
};

export type StoreName = keyof typeof SPEC_STORES;

export function isStoreName(name: string): name is StoreName {
  return Object.hasOwn(SPEC_STORES, name);
}

async function openMemory(): Promise<OpenedStore> {
  const store = new MemoryStore();
  return { store, remove: async () => store.close() };
}

async function openSqlite(): Promise<OpenedStore> {
  const folder = await mkdtemp(join(tmpdir(), "turnkeep-conformance-"));
  const store = await openSqliteStore(join(folder, "agent.db"));
  const remove = async (): Promise<void> => {
    await store.close();
    await rm(folder, { recursive: true });
  };
  return { store, remove };
}
