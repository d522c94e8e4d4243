import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What is looked at in a `package.json`. */
export interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface OwnPackage {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The package that this program is part of. */
export async function findOwnPackage(): Promise<OwnPackage> {
  return await nearestPackage(dirname(fileURLToPath(import.meta.url)));
}

/** The `package.json` of a folder; `undefined` when there is none, or none that can be read. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
  } catch {
    return undefined;
  }
}

async function nearestPackage(folder: string): Promise<OwnPackage> {
  const manifest = await readManifest(folder);
  const above = dirname(folder);
  if (manifest) return { folder, manifest };
  return above === folder ? { folder, manifest: {} } : await nearestPackage(above);
}
