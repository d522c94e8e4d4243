import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The paths of all files under the folder. */
export function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

export function bytesUnder(folder: string): number {
  return filesUnder(folder).reduce((bytes, file) => bytes + statSync(file).size, 0);
}
