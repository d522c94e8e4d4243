import process from "node:process";
import { Redis } from "ioredis";
import { openRedisStore } from "turnkeep/stores/redis";
import { talkOver } from "./stores/talk-over.ts";

// Sessions in Redis or Valkey: set REDIS_URL to say where.
const url = process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379";

const store = await openRedisStore({ url, prefix: "support" });
await talkOver(store);
await store.close();

// With a client of your own, which stays connected when the store is closed.
const client = new Redis(url, { commandTimeout: 5000, socketTimeout: 5000 });
const onClient = await openRedisStore({ client, prefix: "support" });
await talkOver(onClient);
await onClient.close();
client.disconnect();
