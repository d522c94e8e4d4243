import { setTimeout as sleep } from "node:timers/promises";
import { Cluster, Redis } from "ioredis";
import { type OwnServer, startOwnServer } from "./own-server.ts";

const SLOTS = 16_384;
const PATIENCE_MS = 120_000;

/** A cluster of three primaries without replicas, for one test file. */
export interface OwnCluster {
  readonly servers: readonly OwnServer[];
  readonly connect: () => Cluster;
  readonly stop: () => Promise<void>;
}

/** @throws when there is no program to start. */
export async function startOwnCluster(): Promise<OwnCluster> {
  const settings = ["--cluster-enabled", "yes", "--appendonly", "yes"];
  // By default a node that lost sight of another for a moment takes no writes for five seconds.
  const patience = ["--cluster-node-timeout", "2000"];
  const servers = await Promise.all(
    [0, 1, 2].map(() => startOwnServer([...settings, ...patience])),
  );
  try {
    await join(servers);
  } catch (error) {
    await Promise.all(servers.map((server) => server.stop()));
    throw error;
  }
  return {
    servers,
    connect: () => new Cluster(servers.map(({ port }) => ({ host: "127.0.0.1", port }))),
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

async function join(servers: readonly OwnServer[]): Promise<void> {
  const clients = servers.map(({ url }) => new Redis(url));
  try {
    for (const [index, client] of clients.entries()) {
      const first = Math.ceil((SLOTS * index) / servers.length);
      const last = Math.ceil((SLOTS * (index + 1)) / servers.length) - 1;
      await client.call("cluster", "addslotsrange", first, last);
      await client.call("cluster", "set-config-epoch", index + 1);
    }
    for (const { port } of servers) await clients[0]?.call("cluster", "meet", "127.0.0.1", port);
    const deadline = Date.now() + PATIENCE_MS;
    while (!(await areJoined(clients))) {
      if (Date.now() > deadline) throw new Error("The servers did not become a cluster.");
      await sleep(50);
    }
  } finally {
    for (const client of clients) client.disconnect();
  }
}

async function areJoined(clients: readonly Redis[]): Promise<boolean> {
  const answers = await Promise.all(clients.map((client) => client.cluster("INFO")));
  return answers.every(
    (info) => info.includes("cluster_state:ok") && info.includes("cluster_known_nodes:3"),
  );
}
