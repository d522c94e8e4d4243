import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { downloadDebianPackage, findLibraries } from "./services-debian.ts";
import { findOnPath } from "./services-programs.ts";

export interface RedisProgram {
  readonly program: string;
  readonly origin: string;
  /** Added to the environment, when the program's libraries are not the system's. */
  readonly libraries: NodeJS.ProcessEnv;
}

/**
 * The installed server, else one fetched from Debian into a cache.
 * @throws when there is neither.
 */
export async function findRedisProgram(): Promise<RedisProgram> {
  const installed = findOnPath("valkey-server") ?? findOnPath("redis-server");
  if (installed !== undefined) return { program: installed, origin: installed, libraries: {} };
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const directory = join(cache, "turnkeep", "redis-tools");
  if (!existsSync(directory)) await download(directory);
  return {
    program: join(directory, "usr/bin/redis-server"),
    origin: `Debian, by way of ${directory}`,
    libraries: { LD_LIBRARY_PATH: findLibraries(directory).join(":") },
  };
}

async function download(directory: string): Promise<void> {
  if (findOnPath("apt-get") === undefined || findOnPath("dpkg") === undefined) {
    throw new Error("There is no valkey-server or redis-server on the PATH, and no apt-get.");
  }
  // The server is in this package too: one program which acts by the name it is called by.
  const links = { "usr/bin/redis-server": "redis-check-rdb" };
  await downloadDebianPackage("redis-tools", directory, links);
}
