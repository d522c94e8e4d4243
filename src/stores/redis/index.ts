export {
  openRedisStore,
  type OpenRedisStoreOptions,
  type RedisUrlOptions,
} from "./open-redis-store.ts";
export type {
  RedisClient,
  RedisCluster,
  RedisNode,
  RedisNodeOptions,
  SubscriberOptions,
} from "./redis-client.ts";
export { RedisStore } from "./redis-store.ts";
export type { RedisStoreOptions, RedisStoreSettings } from "./redis-store-options.ts";
