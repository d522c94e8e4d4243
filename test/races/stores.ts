import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryStore } from "turnkeep/stores/memory";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import type { Clock, SessionStore } from "../../src/ledger/index.ts";

export interface OpenedStore {
  readonly store: SessionStore;
  /** Closes the store and leaves nothing behind. */
  readonly remove: () => Promise<void>;
}

export type OpenStore = (options?: { readonly clock?: Clock }) => Promise<OpenedStore>;

/** The stores that races are run on, each with a way to a fresh one. */
export const STORES: readonly (readonly [name: string, open: OpenStore])[] = [
  ["memory", openMemory],
  ["sqlite", openSqlite],
];

async function openMemory(options: { readonly clock?: Clock } = {}): Promise<OpenedStore> {
  const store = new MemoryStore(options);
  return { store, remove: () => store.close() };
}

async function openSqlite(options: { readonly clock?: Clock } = {}): Promise<OpenedStore> {
  const directory = mkdtempSync(join(tmpdir(), "turnkeep-races-"));
  const store = await openSqliteStore(join(directory, "races.db"), options);
  return {
    store,
    remove: async () => {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
