import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFileStore } from "turnkeep/stores/file";
import type { Place } from "./place.ts";

export async function filePlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "turnkeep-file-"));
  const path = join(folder, "sessions");
  return {
    settings: { kind: "file", path },
    open: (options) => openFileStore(path, options),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
