import { cpSync, existsSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { downloadDebianPackage, findLibraries } from "./services-debian.ts";
import { askPostgres } from "./services-dialogue.ts";
import { type Account, createHome, removeHome, type ServerHome } from "./services-home.ts";
import { findOnPath } from "./services-programs.ts";
import { findFreePort, runServer } from "./services-server.ts";
import type { RunningService } from "./services-start.ts";

// It refuses to run as root, as Postgres does.
const NOBODY: Account = { uid: 65_534, gid: 65_534 };
// So few that clients share them, and none can count on getting the same one again.
const CONNECTIONS = 2;

/** A pooler in front of the server, which hands a connection to another client after each transaction. */
export async function startPgbouncer(postgresUrl: string): Promise<RunningService> {
  const account = process.getuid?.() === 0 ? NOBODY : undefined;
  const home = createHome("pgbouncer", account);
  try {
    const { program, libraries, origin } = await findProgram(home);
    const port = await findFreePort();
    const configuration = join(home.data, "pgbouncer.ini");
    writeFileSync(configuration, configure(new URL(postgresUrl), port), { mode: 0o644 });
    const server = await runServer(home, {
      program,
      arguments: [configuration],
      environment: { PATH: process.env["PATH"], ...libraries },
      stopSignal: "SIGINT",
      greet: () => askPostgres(port, "SELECT 1"),
      account,
    });
    const url = `postgres://test@127.0.0.1:${port}/postgres`;
    return { url, origin, directory: home.directory, ...server };
  } catch (error) {
    removeHome(home.directory);
    throw error;
  }
}

interface Program {
  readonly program: string;
  readonly libraries: NodeJS.ProcessEnv;
  readonly origin: string;
}

async function findProgram(home: ServerHome): Promise<Program> {
  const installed = findOnPath("pgbouncer");
  if (installed !== undefined) return { program: installed, libraries: {}, origin: installed };
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const directory = join(cache, "turnkeep", "pgbouncer");
  if (!existsSync(directory)) {
    if (findOnPath("apt-get") === undefined || findOnPath("dpkg") === undefined) {
      throw new Error("There is no pgbouncer on the PATH, and no apt-get.");
    }
    await downloadDebianPackage("pgbouncer", directory, {});
  }
  // Where the user it runs as can reach it.
  const copy = join(home.directory, "programs");
  cpSync(directory, copy, { recursive: true, verbatimSymlinks: true });
  return {
    program: join(copy, "usr/sbin/pgbouncer"),
    libraries: { LD_LIBRARY_PATH: findLibraries(copy).join(":") },
    origin: `Debian, by way of ${directory}`,
  };
}

function configure({ hostname, port, pathname, username }: URL, ownPort: number): string {
  const target = `host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username}`;
  return [
    "[databases]",
    `postgres = ${target}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${ownPort}`,
    "unix_socket_dir =",
    "auth_type = any",
    "pool_mode = transaction",
    `default_pool_size = ${CONNECTIONS}`,
    "",
  ].join("\n");
}
