import { startPostgres } from "./services-postgres.ts";
import { startRedis } from "./services-redis.ts";
import { sweepAbandonedServers } from "./services-sweep.ts";

export type ServiceName = "postgres" | "redis";

export interface RunningService {
  readonly url: string;
  /** Where the server came from, for people who read logs. */
  readonly origin: string;
  /** Absent when somebody else runs the server. */
  readonly pid?: number;
  /** The server's temporary directory; gone after `stop`. */
  readonly directory?: string;
  readonly stop: () => Promise<void>;
}

export interface MissingService {
  readonly name: ServiceName | "pgbouncer";
  readonly reason: string;
}

export interface StartedServices {
  readonly running: Readonly<Partial<Record<ServiceName, RunningService>>>;
  readonly missing: readonly MissingService[];
  readonly stop: () => Promise<void>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const STARTERS: Record<ServiceName, (environment: Environment) => Promise<RunningService>> = {
  postgres: startPostgres,
  redis: startRedis,
};

/** Starts the named servers side by side. One that cannot be had is reported, not thrown. */
export async function startServices(
  names: readonly ServiceName[],
  environment: Environment = process.env,
): Promise<StartedServices> {
  if (names.length > 0) await sweepAbandonedServers();
  const running: Partial<Record<ServiceName, RunningService>> = {};
  const missing: MissingService[] = [];
  await Promise.all(
    names.map(async (name) => {
      try {
        running[name] = await STARTERS[name](environment);
      } catch (error) {
        missing.push({ name, reason: error instanceof Error ? error.message : String(error) });
      }
    }),
  );
  const stop = async (): Promise<void> => {
    await Promise.all(Object.values(running).map((service) => service.stop()));
  };
  return { running, missing, stop };
}
