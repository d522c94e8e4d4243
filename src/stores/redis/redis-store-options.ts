import { type Clock, type StoreCapabilities, TurnkeepError } from "../../ledger/index.ts";
import type { RedisClient } from "./redis-client.ts";

/** What any Redis store may be told, however it gets its client. */
export interface RedisStoreSettings {
  /** What the names of all keys begin with: 1 to 64 letters, digits and `-_.:`. Stores with different ones know nothing of each other. */
  readonly prefix: string;
  /** Over how many buckets, and so slots of a cluster, sessions are spread. Fixed when the store is made; 16 unless said otherwise. */
  readonly buckets?: number;
  /** Sessions may be lost: lets the server keep nothing on disk, and drop keys when memory is short. */
  readonly ephemeral?: boolean;
  /** What acknowledged writes survive, for a server that does not let CONFIG be read. Where it does, its settings count. */
  readonly durability?: Exclude<StoreCapabilities["durability"], "none">;
  /** Lets a server on another machine have a default user without a password. */
  readonly insecure?: boolean;
  /** After how long without an answer a call fails. 5,000 ms unless said otherwise. */
  readonly timeoutMs?: number;
  /** Instead of the server's own. For tests. */
  readonly clock?: Clock;
}

/** What a store on a client is told. */
export interface RedisStoreOptions extends RedisStoreSettings {
  /** A `Redis` or a `Cluster` of ioredis. Stays connected when the store is closed. */
  readonly client: RedisClient;
  /** Called at the end of `close()`, for whoever made the client just for this store. */
  readonly closeClient?: () => void;
}

const PREFIX = /^[\w.:-]{1,64}$/;
const MOST_BUCKETS = 1024;
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
const USUAL_TIMEOUT_MS = 5000;
const CLAIMS: readonly unknown[] = ["process-crash", "power-loss", "replicated"];

/** @throws TurnkeepError INVALID_ARGUMENT when one is not what it must be. */
export function checkSettings(options: RedisStoreSettings): { readonly timeoutMs: number } {
  const { prefix, buckets = 1, ephemeral, insecure, durability } = options;
  const { timeoutMs = USUAL_TIMEOUT_MS } = options;
  if (typeof prefix !== "string" || !PREFIX.test(prefix)) {
    refuse("prefix", "must be 1 to 64 letters, digits or any of -_.:");
  }
  if (!isWithin(buckets, MOST_BUCKETS)) {
    refuse("buckets", `must be a whole number from 1 to ${MOST_BUCKETS}`);
  }
  if (!isWithin(timeoutMs, LONGEST_TIMEOUT_MS)) {
    refuse("timeoutMs", "must be a whole number of at least 1");
  }
  for (const [field, flag] of Object.entries({ ephemeral, insecure })) {
    if (flag !== undefined && typeof flag !== "boolean") refuse(field, "must be true or false");
  }
  if (durability !== undefined && !CLAIMS.includes(durability)) {
    refuse("durability", `must be one of ${CLAIMS.join(", ")}`);
  }
  return { timeoutMs };
}

/** @throws TurnkeepError INVALID_ARGUMENT when one is not what it must be. */
export function checkOptions(options: RedisStoreOptions): { readonly timeoutMs: number } {
  const client: Partial<RedisClient> | undefined = options.client;
  if (typeof client?.call !== "function" || typeof client.on !== "function") {
    refuse("client", "must be a Redis or a Cluster of ioredis");
  }
  if (client.options?.keyPrefix) {
    refuse("client", "must have no keyPrefix: give the store a prefix instead");
  }
  return checkSettings(options);
}

export function refuse(field: string, rule: string): never {
  throw new TurnkeepError("INVALID_ARGUMENT", `${field}: ${rule}.`, { details: { field } });
}

function isWithin(value: unknown, most: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= most;
}
