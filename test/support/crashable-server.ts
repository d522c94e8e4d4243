import { setTimeout as sleep } from "node:timers/promises";
import { removeHome } from "./services-home.ts";
import { preparePostgres } from "./services-postgres.ts";
import { prepareRedis } from "./services-redis.ts";
import { type PreparedServer, runServer, type Server } from "./services-server.ts";
import type { ServiceName } from "./services-start.ts";

// As somebody would run them who means to keep the data.
const PREPARE: Readonly<Record<ServiceName, () => Promise<PreparedServer>>> = {
  postgres: () => preparePostgres([]),
  redis: () => prepareRedis(["--appendonly", "yes", "--appendfsync", "always"]),
};

const LONGEST_RESTART_MS = 120_000;

/** A server of one's own that writes to disk what it acknowledges, and may be killed and started again. */
export class CrashableServer {
  readonly #prepared: PreparedServer;
  #server: Server;

  /** `arrange` may move its data elsewhere before it runs. */
  static async start(
    name: ServiceName,
    arrange: (data: string) => void = () => {},
  ): Promise<CrashableServer> {
    const prepared = await PREPARE[name]();
    try {
      arrange(prepared.home.data);
      return new CrashableServer(prepared, await runServer(prepared.home, prepared.command));
    } catch (error) {
      removeHome(prepared.home.directory);
      throw error;
    }
  }

  private constructor(prepared: PreparedServer, server: Server) {
    this.#prepared = prepared;
    this.#server = server;
  }

  get url(): string {
    return this.#prepared.url;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get pid(): number {
    return this.#server.pid;
  }

  /** kill -9. */
  async crash(): Promise<void> {
    await this.#server.crash();
  }

  /** Resolves once it answers again, on the data and the port it had. */
  async restart(): Promise<void> {
    const { home, command } = this.#prepared;
    const deadline = Date.now() + LONGEST_RESTART_MS;
    for (;;) {
      try {
        this.#server = await runServer(home, command);
        return;
      } catch (error) {
        // What a killed Postgres leaves running holds its memory for a moment longer.
        if (Date.now() > deadline) throw error;
        await sleep(50);
      }
    }
  }

  /** Ends it and removes its data. */
  async stop(): Promise<void> {
    await this.#server.stop();
  }
}
