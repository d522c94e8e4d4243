import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { startOwnCluster } from "../stores/redis/own-cluster.ts";
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
  const database = postgres === "" ? undefined : await makeDatabase(postgres);
  const cluster = redis === "" ? undefined : await startOwnCluster();
  return {
    servers: {
      ...(redis !== "" && { QUEUE_URL: redis, REDIS_URL: redis }),
      ...(database && { DATABASE_URL: database.url }),
      ...(cluster?.servers[0] && { CLUSTER_URL: cluster.servers[0].url }),
    },
    close: async () => {
      await database?.drop();
      await cluster?.stop();
    },
  };
}

async function makeDatabase(
  server: string,
): Promise<{ readonly url: string; readonly drop: () => Promise<void> }> {
  const name = `examples_${randomBytes(8).toString("hex")}`;
  await ask(server, `create database ${name} template template0 encoding 'UTF8'`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => ask(server, `drop database ${name} with (force)`) };
}

async function ask(server: string, statement: string): Promise<void> {
  const client = new Client(server);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
