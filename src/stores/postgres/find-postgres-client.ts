import { TurnkeepError } from "../../ledger/index.ts";
import type { PostgresPool } from "./postgres-pool.ts";

export interface ClosablePool extends PostgresPool {
  end(): Promise<void>;
}

/** What the store asks of a pool it makes itself, in the words of `pg`. */
export interface PoolOptions {
  readonly connectionString: string;
  readonly max: number;
  readonly application_name: string;
  readonly connectionTimeoutMillis: number;
  readonly query_timeout: number;
  readonly statement_timeout?: number;
  readonly idle_in_transaction_session_timeout?: number;
  readonly keepAlive: boolean;
  readonly keepAliveInitialDelayMillis: number;
  readonly allowExitOnIdle: boolean;
}

interface PostgresModule {
  readonly Pool: new (options: PoolOptions) => ClosablePool;
}

/** @throws TurnkeepError FAILED_PRECONDITION when the package `pg` is not installed. */
export async function findPostgresClient(): Promise<PostgresModule> {
  // The name in a variable, because the module does not have to be there.
  const name: string = "pg";
  try {
    return (await import(name)) as PostgresModule;
  } catch (cause) {
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      'The client of Postgres is not installed: run "npm install pg".',
      { cause, reason: "STORE_UNSUITABLE" },
    );
  }
}
