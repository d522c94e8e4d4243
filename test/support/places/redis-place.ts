import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { openRedisStore } from "turnkeep/stores/redis";
import type { Place } from "./place.ts";

/** A prefix of its own on the server at `url`. */
export async function redisPlace(url: string): Promise<Place> {
  const prefix = `test-${randomUUID()}`;
  return {
    settings: { kind: "redis", url, prefix },
    open: (options) => openRedisStore({ ...options, url, prefix }),
    remove: () => removeKeys(url, prefix),
  };
}

async function removeKeys(url: string, prefix: string): Promise<void> {
  const client = new Redis(url);
  try {
    for await (const keys of client.scanStream({ match: `{${prefix}*`, count: 1000 })) {
      if (keys.length > 0) await client.unlink(keys as string[]);
    }
  } finally {
    client.disconnect();
  }
}
