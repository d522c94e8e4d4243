import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionStore } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { whenOver } from "./leftovers.ts";

export type CreateStore = () => Promise<SessionStore>;

/** The stores that the life of a run is tested over, each with a way to a fresh one. */
export const STORES: readonly (readonly [name: string, create: CreateStore])[] = [
  ["memory", async () => new MemoryStore()],
  ["sqlite", async () => await openShared(databaseFile())],
];

/** The name of a database that is gone when the tests are over. */
export function databaseFile(): string {
  return join(scratchDirectory(), "life.db");
}

export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "turnkeep-life-"));
  whenOver(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** One more store on the same file, as another process would open it. */
export async function openShared(file: string): Promise<SessionStore> {
  const store = await openSqliteStore(file);
  whenOver(async () => await store.close());
  return store;
}
