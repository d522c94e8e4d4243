import { askRedis } from "./services-dialogue.ts";
import { createHome, removeHome } from "./services-home.ts";
import { findRedisProgram } from "./services-redis-program.ts";
import { findFreePort, type PreparedServer, runServer } from "./services-server.ts";
import type { Environment, RunningService } from "./services-start.ts";

/** A Redis or Valkey of our own, unless the environment names one. It keeps its data as a store of record has to. */
export async function startRedis(environment: Environment): Promise<RunningService> {
  const given = environment["TEST_REDIS_URL"];
  if (given) return { url: given, origin: "TEST_REDIS_URL", stop: async () => {} };

  const { home, command, url, origin } = await prepareRedis(["--appendonly", "yes"]);
  try {
    return { url, origin, directory: home.directory, ...(await runServer(home, command)) };
  } catch (error) {
    removeHome(home.directory);
    throw error;
  }
}

/** An empty directory, and how to run a server on it. */
export async function prepareRedis(settings: readonly string[]): Promise<PreparedServer> {
  const { program, libraries, origin } = await findRedisProgram();
  const home = createHome("redis");
  const port = await findFreePort();
  const command = {
    program,
    arguments: [...serverArguments(home.data, port), ...settings],
    environment: { ...process.env, ...libraries },
    stopSignal: "SIGTERM" as const,
    greet: () => greetRedis(port),
  };
  return { home, command, url: `redis://127.0.0.1:${port}`, origin };
}

/** While it loads its data it answers, but it cannot be used. */
export async function greetRedis(port: number): Promise<void> {
  const answer = await askRedis(port, "PING");
  if (answer.startsWith("-LOADING")) throw new Error(answer);
}

function serverArguments(directory: string, port: number): string[] {
  const place = ["--bind", "127.0.0.1", "--port", String(port), "--dir", directory];
  // The title would hide the directory, by which a later run knows that the process is ours.
  return [...place, "--set-proc-title", "no", "--save", ""];
}
