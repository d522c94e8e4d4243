import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { askPostgres } from "./services-dialogue.ts";
import { type Account, createHome, removeHome } from "./services-home.ts";
import { findPostgresPrograms } from "./services-postgres-programs.ts";
import { findFreePort, type PreparedServer, runServer } from "./services-server.ts";
import type { Environment, RunningService } from "./services-start.ts";

const run = promisify(execFile);

/** Postgres refuses to run as root. This is `nobody` on every Linux. */
export const NOBODY: Account = { uid: 65_534, gid: 65_534 };

// Speed over safety: a test database never outlives its run.
const QUICK = ["fsync=off", "full_page_writes=off"];
// Shared memory is in its own folder too, or a killed server would leave it behind.
const SETTINGS = ["max_connections=200", "timezone=UTC", "dynamic_shared_memory_type=mmap"];

/** A Postgres of our own with a user `test` and no password, unless the environment names one. */
export async function startPostgres(environment: Environment): Promise<RunningService> {
  const given = environment["TEST_DATABASE_URL"];
  if (given) return { url: given, origin: "TEST_DATABASE_URL", stop: async () => {} };

  const { home, command, url, origin } = await preparePostgres(QUICK);
  try {
    return { url, origin, directory: home.directory, ...(await runServer(home, command)) };
  } catch (error) {
    removeHome(home.directory);
    throw error;
  }
}

/** An empty database, and how to run a server on it. */
export async function preparePostgres(settings: readonly string[]): Promise<PreparedServer> {
  const account = process.getuid?.() === 0 ? NOBODY : undefined;
  const home = createHome("postgres", account);
  try {
    const { directory, origin } = findPostgresPrograms(home.directory);
    const database = join(home.data, "database");
    const options = { ...account, cwd: home.data, env: serverEnvironment() };
    await run(join(directory, "initdb"), initialArguments(database), options);
    const port = await findFreePort();
    const command = {
      program: join(directory, "postgres"),
      arguments: serverArguments(database, port, settings),
      environment: options.env,
      stopSignal: "SIGINT" as const,
      greet: () => askPostgres(port, "SELECT 1"),
      account,
    };
    return { home, command, url: `postgres://test@127.0.0.1:${port}/postgres`, origin };
  } catch (error) {
    removeHome(home.directory);
    throw error;
  }
}

function initialArguments(database: string): string[] {
  const access = ["--username=test", "--auth=trust"];
  return [`--pgdata=${database}`, ...access, "--encoding=UTF8", "--locale=C", "--no-sync"];
}

function serverArguments(database: string, port: number, more: readonly string[]): string[] {
  const settings = [...SETTINGS, ...more].flatMap((setting) => ["-c", setting]);
  return ["-D", database, "-h", "127.0.0.1", "-p", String(port), "-k", "", ...settings];
}

function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env;
  return { PATH, SystemRoot, LC_ALL: "C", TZ: "UTC" };
}
