import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Contender } from "../contenders/contender.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The private package whose dependencies are the peers. */
export const PEERS_FOLDER: string = join(ROOT, "bench/peers");

/** Whose `node_modules` a contender is installed in. */
export function folderOf({ packages: [name = ""] }: Contender): string {
  return existsSync(join(PEERS_FOLDER, "node_modules", name)) ? PEERS_FOLDER : ROOT;
}

/** The versions that are installed, and measured. */
export function versionsOf(contender: Contender): Readonly<Record<string, string>> {
  const folder = folderOf(contender);
  return Object.fromEntries(contender.packages.map((name) => [name, versionIn(folder, name)]));
}

function versionIn(folder: string, name: string): string {
  const place = name === "turnkeep" ? folder : join(folder, "node_modules", name);
  const manifest = readFileSync(join(place, "package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
