import { TurnkeepError } from "../../ledger/index.ts";
import type { RedisNode } from "./redis-client.ts";
import { RedisStore } from "./redis-store.ts";
import {
  checkSettings,
  type RedisStoreOptions,
  type RedisStoreSettings,
  refuse,
} from "./redis-store-options.ts";

/** Where the server is, for a client that the store makes and closes itself. */
export interface RedisUrlOptions extends RedisStoreSettings {
  /** `redis://` or `rediss://`, with user, password and database if need be; or `unix:///path`. */
  readonly url: string;
}

/** Where Redis is, by a URL or by a client of your own, and how to use it. */
export type OpenRedisStoreOptions =
  | (RedisUrlOptions & { readonly client?: undefined })
  | (RedisStoreOptions & { readonly url?: undefined });

/** What the store needs of the package. */
interface RedisPackage {
  readonly Redis: new (url: string, options: object) => RedisNode;
}

const SCHEMES: readonly string[] = ["redis:", "rediss:", "unix:"];
const LONGEST_PAUSE_MS = 1000;

/**
 * Opens a store on the server at `url`, or on a client of ioredis, and checks that the server's settings let it keep sessions.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when an option is not what it must be, FAILED_PRECONDITION when the server is not suitable,
 * UNAVAILABLE when it is away.
 */
export async function openRedisStore(options: OpenRedisStoreOptions): Promise<RedisStore> {
  if (options.url === undefined) {
    if (options.client === undefined) refuse("url", "must be given, or a client instead of it");
    return openStore(options);
  }
  if (options.client !== undefined) refuse("client", "cannot be given together with a url");
  const { timeoutMs } = checkSettings(options);
  checkUrl(options.url);
  const { Redis } = await importClient();
  const client = new Redis(options.url, clientOptions(timeoutMs));
  // It comes back by itself; without a listener the client would print its errors.
  client.on("error", () => {});
  const { url: _, ...settings } = options;
  return openStore({ ...settings, client, closeClient: () => client.disconnect() });
}

async function openStore(options: RedisStoreOptions): Promise<RedisStore> {
  const store = new RedisStore(options);
  try {
    await store.open();
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/**
 * Whoever waits for an answer hears at once that the connection is lost, and nothing is sent twice. A server that keeps silent although
 * it was asked something is taken for lost.
 */
function clientOptions(timeoutMs: number): object {
  return {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    // A server that still loads its data may guess that it takes long; asking costs nothing.
    maxLoadingRetryTime: LONGEST_PAUSE_MS,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt: number) => Math.min(25 * 2 ** attempt, LONGEST_PAUSE_MS),
  };
}

// The name in a variable, because the package does not have to be there.
async function importClient(): Promise<RedisPackage> {
  const name: string = "ioredis";
  try {
    return (await import(name)) as RedisPackage;
  } catch (cause) {
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      'The Redis client is not installed: run "npm install ioredis".',
      { cause, reason: "STORE_UNSUITABLE" },
    );
  }
}

function checkUrl(url: unknown): void {
  if (typeof url === "string" && URL.canParse(url) && SCHEMES.includes(new URL(url).protocol)) {
    return;
  }
  refuse("url", "must begin with redis://, rediss:// or unix://");
}
