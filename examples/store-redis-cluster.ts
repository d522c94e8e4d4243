import process from "node:process";
import { Cluster } from "ioredis";
import { openRedisStore } from "turnkeep/stores/redis";
import { talkOver } from "./stores/talk-over.ts";

// Sessions on a cluster of Redis or Valkey: set CLUSTER_URL to name one of its servers.
const seed = process.env["CLUSTER_URL"] ?? "redis://127.0.0.1:7000";

const client = new Cluster([seed], { redisOptions: { commandTimeout: 5000 } });
const store = await openRedisStore({ client, prefix: "support" });
await talkOver(store);
await store.close();
client.disconnect();
