import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { askPostgres } from "./services-dialogue.ts";
import { type Account, createHome, removeHome } from "./services-home.ts";
import { findPostgresPrograms } from "./services-postgres-programs.ts";
import { findFreePort, runServer } from "./services-server.ts";
import type { Environment, RunningService } from "./services-start.ts";

const run = promisify(execFile);

// Postgres refuses to run as root. This is `nobody` on every Linux.
const NOBODY: Account = { uid: 65_534, gid: 65_534 };

// Speed over safety: a test database never outlives its run.
const SETTINGS = ["fsync=off", "full_page_writes=off", "max_connections=200", "timezone=UTC"];

/** A Postgres of our own with a user `test` and no password, unless the environment names one. */
export async function startPostgres(environment: Environment): Promise<RunningService> {
  const given = environment["TEST_DATABASE_URL"];
  if (given) return { url: given, origin: "TEST_DATABASE_URL", stop: async () => {} };

  const account = process.getuid?.() === 0 ? NOBODY : undefined;
  const home = createHome("postgres", account);
  try {
    const { directory, origin } = findPostgresPrograms(home.directory);
    const database = join(home.data, "database");
    const options = { ...account, cwd: home.data, env: serverEnvironment() };
    await run(join(directory, "initdb"), initialArguments(database), options);
    const port = await findFreePort();
    const server = await runServer(home, {
      program: join(directory, "postgres"),
      arguments: serverArguments(database, port),
      environment: options.env,
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

function initialArguments(database: string): string[] {
  const access = ["--username=test", "--auth=trust"];
  return [`--pgdata=${database}`, ...access, "--encoding=UTF8", "--locale=C", "--no-sync"];
}

function serverArguments(database: string, port: number): string[] {
  const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
  return ["-D", database, "-h", "127.0.0.1", "-p", String(port), "-k", "", ...settings];
}

function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env;
  return { PATH, SystemRoot, LC_ALL: "C", TZ: "UTC" };
}
