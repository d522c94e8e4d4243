import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The sizes of all files in it, those of folders in it included. */
export function folderBytes(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
