import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

interface Manifest {
  readonly name: string;
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Installed {
  readonly bytes: number;
  readonly packages: number;
  /** Those that they name themselves. */
  readonly dependencies: number;
}

/** What packages and all that they depend on take up, as they are installed in that folder. Peers that are optional are left out. */
export function installedBytes(folder: string, names: readonly string[]): Installed {
  const own = manifestIn(folder);
  const asked = names.flatMap((name) => (name === own.name ? [folder] : findPackage(folder, name)));
  // It grows while it is gone through.
  const found = new Set(asked);
  for (const path of found) {
    for (const name of dependenciesOf(path)) {
      for (const dependency of findPackage(path, name)) found.add(dependency);
    }
  }
  const sizes = [...found].map((path) =>
    path === folder
      ? (own.files ?? []).reduce((sum, file) => sum + bytesIn(join(folder, file)), 0)
      : bytesIn(path),
  );
  return {
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    packages: found.size,
    dependencies: new Set(asked.flatMap(dependenciesOf)).size,
  };
}

function dependenciesOf(folder: string): readonly string[] {
  const { dependencies = {}, optionalDependencies = {} } = manifestIn(folder);
  return Object.keys({ ...dependencies, ...optionalDependencies });
}

// As Node looks for it: in the folder's own `node_modules`, then further up. Those of other platforms are nowhere.
function findPackage(folder: string, name: string): readonly string[] {
  const path = join(folder, "node_modules", name);
  if (existsSync(join(path, "package.json"))) return [path];
  const parent = join(folder, "..");
  return parent === folder ? [] : findPackage(parent, name);
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

// Without the packages inside of it, which are counted by themselves.
function bytesIn(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path)
    .filter((name) => name !== "node_modules")
    .reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}
