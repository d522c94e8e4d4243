import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionStore } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { onTestFinished } from "vitest";

export type OpenStore = () => Promise<SessionStore>;

/** One place that any number of stores can be opened on, as several machines would. */
export interface StorePlace {
  readonly open: OpenStore;
}

export const STORES: readonly (readonly [name: string, place: () => Promise<StorePlace>])[] = [
  ["memory", memoryPlace],
  ["sqlite", sqlitePlace],
];

async function memoryPlace(): Promise<StorePlace> {
  const store = new MemoryStore();
  onTestFinished(() => store.close());
  return { open: async () => store };
}

export async function sqlitePlace(): Promise<StorePlace> {
  const folder = await mkdtemp(join(tmpdir(), "turnkeep-genkit-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return {
    open: async () => {
      const store = await openSqliteStore(join(folder, "agent.db"));
      onTestFinished(() => store.close());
      return store;
    },
  };
}
