import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import type { Place } from "./place.ts";

export async function sqlitePlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "turnkeep-sqlite-"));
  const path = join(folder, "sessions.db");
  return {
    settings: { kind: "sqlite", path },
    open: (options) => openSqliteStore(path, options),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
