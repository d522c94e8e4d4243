import { startOwnCluster } from "../stores/redis/own-cluster.ts";
import { Databases } from "../support/databases.ts";
import { postgresUrl } from "../support/postgres-url.ts";
import { redisUrl } from "../support/redis-url.ts";

/** Where the servers are that examples ask for, by the variables they read. One that the run is without is missing. */
export type Servers = Readonly<
  Partial<Record<"CLUSTER_URL" | "DATABASE_URL" | "QUEUE_URL" | "REDIS_URL", string>>
>;

/** A database of the examples' own, the run's Redis, and a cluster. */
export async function openServers(): Promise<{
  readonly servers: Servers;
  readonly close: () => Promise<void>;
}> {
  const [postgres, redis] = [postgresUrl, redisUrl];
  const databases = new Databases();
  const database = postgres === "" ? undefined : await databases.create(postgres);
  const cluster = redis === "" ? undefined : await startOwnCluster();
  return {
    servers: {
      ...(redis !== "" && { QUEUE_URL: redis, REDIS_URL: redis }),
      ...(database && { DATABASE_URL: database }),
      ...(cluster?.servers[0] && { CLUSTER_URL: cluster.servers[0].url }),
    },
    close: async () => {
      await databases.drop();
      await cluster?.stop();
    },
  };
}
