import { execFile } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildOnce, ROOT } from "./build-once.ts";

/** Builds and packs the package, and says where the archive is. */
export async function packOnce(runFolder: string): Promise<string> {
  await buildOnce();
  const folder = join(runFolder, "programs", "package");
  mkdirSync(folder, { recursive: true });
  // The scripts would build `dist` anew, under the feet of other tests.
  const options = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  await promisify(execFile)("npm", options, { cwd: ROOT, shell: process.platform === "win32" });
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (archive === undefined) throw new Error("npm has packed nothing.");
  return join(folder, archive);
}
