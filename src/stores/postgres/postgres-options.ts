import { type Clock, TurnkeepError } from "../../ledger/index.ts";
import { checkLimits } from "../check-limits.ts";
import type { PostgresPool } from "./postgres-pool.ts";

/** How to use a Postgres database, wherever it is. */
export interface PostgresStoreSettings {
  /** Where the tables are, made if it is not there. `"turnkeep"` unless named; lower-case letters, digits and underscores. */
  readonly schema?: string;
  /**
   * Whether changes are told by LISTEN and NOTIFY. `false` behind a pooler that hands a connection to another client after each
   * transaction: readers then look once a second.
   */
  readonly listen?: boolean;
  /** Has Postgres itself keep tenants apart, too. The user must be no superuser and own the schema when it is switched on. */
  readonly rowLevelSecurity?: boolean;
  /** How long to wait for a connection. 5 seconds unless named. */
  readonly connectTimeoutMs?: number;
  /** How long to wait for the answer to one statement. 10 seconds unless named. */
  readonly queryTimeoutMs?: number;
  /** In place of the clock of Postgres, for tests. */
  readonly clock?: Clock;
}

/** What a store on a pool is told. */
export interface PostgresStoreOptions extends PostgresStoreSettings {
  /** Of at least 2 connections if the store listens. Stays open when the store is closed. */
  readonly pool: PostgresPool;
  /** Called at the end of `close()`, for whoever made the pool just for this store. */
  readonly closePool?: () => Promise<void>;
}

/** Settings with everything filled in. */
export interface CheckedSettings {
  readonly schema: string;
  readonly listen: boolean;
  readonly rowLevelSecurity: boolean;
  readonly connectTimeoutMs: number;
  readonly queryTimeoutMs: number;
  readonly clock: Clock | undefined;
}

// It stands inside statements, so it may hold nothing that could end a name.
const SCHEMA = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/;

/** @throws TurnkeepError INVALID_ARGUMENT when a setting is none that the store can work with. */
export function checkSettings(settings: PostgresStoreSettings): CheckedSettings {
  const { schema = "turnkeep", listen = true, rowLevelSecurity = false, clock } = settings;
  const { connectTimeoutMs = 5000, queryTimeoutMs = 10_000 } = settings;
  if (typeof schema !== "string" || !SCHEMA.test(schema)) {
    throw refuse(
      "schema",
      "must be lower-case letters, digits and underscores, at most 63, not beginning with a digit or pg_",
    );
  }
  for (const [field, value] of Object.entries({ listen, rowLevelSecurity })) {
    if (typeof value !== "boolean") throw refuse(field, "must be true or false");
  }
  checkLimits({ connectTimeoutMs, queryTimeoutMs });
  return { schema, listen, rowLevelSecurity, connectTimeoutMs, queryTimeoutMs, clock };
}

export function refuse(field: string, rule: string): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", `${field}: ${rule}.`, { details: { field } });
}
