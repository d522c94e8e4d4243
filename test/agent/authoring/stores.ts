import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionStore } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { onTestFinished } from "vitest";

/** Opens a store that is closed, and whose files are removed, when the test that asked for it has ended. */
export type OpenStore = () => Promise<SessionStore>;

/** The stores that authoring is tested over. */
export const STORES: readonly (readonly [name: string, open: OpenStore])[] = [
  ["memory", openMemory],
  ["sqlite", openSqlite],
];

async function openMemory(): Promise<SessionStore> {
  const store = new MemoryStore();
  onTestFinished(() => store.close());
  return store;
}

async function openSqlite(): Promise<SessionStore> {
  const folder = await mkdtemp(join(tmpdir(), "turnkeep-authoring-"));
  const store = await openSqliteStore(join(folder, "agent.db"));
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  return store;
}
