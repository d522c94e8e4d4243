import type { Cluster, Redis } from "ioredis";
import type { RedisClient } from "../../../src/stores/redis/redis-client.ts";
import { expectTypeOf, test } from "vitest";

test("clients of ioredis fit the store", () => {
  expectTypeOf<Redis>().toExtend<RedisClient>();
  expectTypeOf<Cluster>().toExtend<RedisClient>();
});
