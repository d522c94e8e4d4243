import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionStore } from "turnkeep";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import type { PlaceName } from "../../support/places/places.ts";
import { testPlace } from "../../support/places/test-place.ts";
import { whenOver } from "./leftovers.ts";

export type CreateStore = () => Promise<SessionStore>;

const LIFE_PLACES: readonly PlaceName[] = ["memory", "sqlite"];

/** The stores that the life of a run is tested over, each with a way to a fresh one. */
export const STORES: readonly (readonly [name: string, create: CreateStore])[] = LIFE_PLACES.map(
  (name) => [name, async () => await (await testPlace(name, whenOver)).open()],
);

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
