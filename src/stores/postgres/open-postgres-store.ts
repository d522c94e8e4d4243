import { systemTimers } from "../../ledger/index.ts";
import { checkLimits } from "../check-limits.ts";
import { type ClosablePool, findPostgresClient } from "./find-postgres-client.ts";
import {
  type CheckedSettings,
  checkSettings,
  type PostgresStoreSettings,
  refuse,
} from "./postgres-options.ts";
import type { PostgresPool } from "./postgres-pool.ts";
import { PostgresStore } from "./postgres-store.ts";

/** Where Postgres is, by a connection string or by a pool of your own, and how to use it. */
export type OpenPostgresStoreOptions = PostgresStoreSettings &
  (
    | {
        readonly connectionString: string;
        /** How many connections the store may have open at once, the one that listens included. 10 unless named. */
        readonly maxConnections?: number;
        readonly pool?: undefined;
      }
    | {
        /** A `Pool` of `pg`, of at least 2 connections if the store listens. Stays open when the store is closed. */
        readonly pool: PostgresPool;
        readonly connectionString?: undefined;
      }
  );

const KEEP_ALIVE_AFTER_MS = 10_000;
const CLOSING_MS = 5000;

/**
 * Opens a store in a schema of a Postgres database of version 15 or newer, which is made or brought up to date if need be.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when an option is wrong; FAILED_PRECONDITION when the server cannot keep what is acknowledged,
 * or was written to by a newer Turnkeep; UNAVAILABLE when it cannot be reached.
 */
export async function openPostgresStore(options: OpenPostgresStoreOptions): Promise<PostgresStore> {
  const settings = checkSettings(options);
  const { pool, closePool } = await poolFor(options, settings);
  const store = new PostgresStore({ ...options, pool, closePool });
  try {
    await store.open();
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

async function poolFor(
  options: OpenPostgresStoreOptions,
  settings: CheckedSettings,
): Promise<{ readonly pool: PostgresPool; readonly closePool: () => Promise<void> }> {
  if (options.pool !== undefined) {
    if (options.connectionString !== undefined || typeof options.pool.connect !== "function") {
      throw refuse("pool", "must be a pool of pg, handed in without a connection string");
    }
    return { pool: options.pool, closePool: async () => {} };
  }
  const { connectionString, maxConnections = 10 } = options;
  if (!/^postgres(ql)?:\/\/./.test(connectionString)) {
    throw refuse("connectionString", "must begin with postgres:// and name a server");
  }
  checkLimits({ maxConnections });
  if (settings.listen && maxConnections < 2) {
    throw refuse("maxConnections", "must be at least 2, since one connection listens");
  }
  const pool = await makePool(connectionString, maxConnections, settings);
  return { pool, closePool: () => endPool(pool) };
}

async function makePool(
  connectionString: string,
  max: number,
  { listen, connectTimeoutMs, queryTimeoutMs }: CheckedSettings,
): Promise<ClosablePool> {
  const { Pool } = await findPostgresClient();
  const pool = new Pool({
    connectionString,
    max,
    application_name: "turnkeep",
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    // Postgres gives up a little before its client does, so that whoever asks learns what became of the statement.
    // A pooler refuses connections with such settings, and `listen: false` means that there may be one.
    ...(listen && {
      statement_timeout: Math.ceil(queryTimeoutMs * 0.8),
      idle_in_transaction_session_timeout: queryTimeoutMs,
    }),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    allowExitOnIdle: true,
  });
  // For ever: a connection may tell of its end when the pool has ended already, and without an ear for it that ends the process.
  pool.on("error", () => {});
  return pool;
}

// A connection that is half open says no goodbye, and its end can take the system very long to notice.
async function endPool(pool: ClosablePool): Promise<void> {
  const ended = new AbortController();
  const late = systemTimers
    .sleep(CLOSING_MS, { signal: ended.signal, inBackground: true })
    .catch(() => {});
  await Promise.race([pool.end(), late]);
  ended.abort();
}
