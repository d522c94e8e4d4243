import { setTimeout as sleep } from "node:timers/promises";
import { createHome } from "../../support/services-home.ts";
import { greetRedis } from "../../support/services-redis.ts";
import { findRedisProgram } from "../../support/services-redis-program.ts";
import { findFreePort, runServer, type Server } from "../../support/services-server.ts";
import { isAlive } from "../../support/services-sweep.ts";

/** A server for one test, which may be hurt. */
export interface OwnServer {
  readonly url: string;
  readonly port: number;
  /** Where it keeps its files. */
  readonly directory: string;
  /** Ends it with SIGKILL; its files stay. */
  readonly kill: () => Promise<void>;
  readonly signal: (name: NodeJS.Signals) => void;
  /** Starts it again on its files, after it was killed. */
  readonly restart: () => Promise<void>;
  /** Leaves nothing behind. */
  readonly stop: () => Promise<void>;
}

/** @throws when there is no program to start. */
export async function startOwnServer(settings: readonly string[]): Promise<OwnServer> {
  const { program, libraries } = await findRedisProgram();
  const home = createHome("redis");
  const port = await findFreePort();
  const place = ["--bind", "127.0.0.1", "--port", String(port), "--dir", home.data];
  const start = (): Promise<Server> =>
    runServer(home, {
      program,
      // The title would hide the directory, by which a later run knows that the process is ours.
      arguments: [...place, "--set-proc-title", "no", "--save", "", ...settings],
      environment: { ...process.env, ...libraries },
      stopSignal: "SIGKILL",
      greet: () => greetRedis(port),
    });
  let server = await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    directory: home.data,
    signal: (name) => process.kill(server.pid, name),
    kill: async () => {
      process.kill(server.pid, "SIGKILL");
      while (isAlive(server.pid)) await sleep(5);
    },
    restart: async () => {
      server = await start();
    },
    stop: () => server.stop(),
  };
}
