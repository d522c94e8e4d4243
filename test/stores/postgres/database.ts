import { randomBytes } from "node:crypto";
import { Pool } from "pg";
import { openPostgresStore, type PostgresStore } from "turnkeep/stores/postgres";
import { afterAll, afterEach, inject } from "vitest";
import type { SessionKey } from "../../../src/ledger/index.ts";
import { createScope, createSessionKey } from "../../../src/ledger/index.ts";

/** Empty when the run goes on without Postgres, of which it has said so loudly. */
export const URL_OF_SERVER: string = inject("postgresUrl");

const pools: Pool[] = [];
const schemas: string[] = [];
const stores: PostgresStore[] = [];

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
});

// While the test file is read: inside a running test it would never be called.
afterAll(async () => {
  if (schemas.length > 0) {
    await ask("set client_min_messages to warning");
    for (const schema of schemas) await ask(`drop schema if exists "${schema}" cascade`);
  }
  await Promise.all(pools.map((pool) => pool.end()));
});

/** The name of a schema that is gone when the test file is done. */
export function newSchema(): string {
  const schema = `test_${randomBytes(8).toString("hex")}`;
  schemas.push(schema);
  return schema;
}

/** A store that is closed after the test. */
export async function openStore(
  options: Partial<Parameters<typeof openPostgresStore>[0]> = {},
): Promise<PostgresStore> {
  const given = { schema: newSchema(), ...options };
  const server = given.pool === undefined ? { connectionString: URL_OF_SERVER } : {};
  const store = await openPostgresStore({ ...server, ...given } as Parameters<
    typeof openPostgresStore
  >[0]);
  stores.push(store);
  return store;
}

/** Runs a statement as the superuser. */
export async function ask(
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const [pool = newPool()] = pools;
  const { rows } = await pool.query<Record<string, unknown>>(text, values);
  return rows;
}

/** A session of one tenant and agent. */
export function keyOf(sessionId: string, tenant = "tenant"): SessionKey {
  return createSessionKey(createScope(tenant), "agent", sessionId);
}

function newPool(): Pool {
  // One connection, so that what is set on it stays set.
  const pool = new Pool({ connectionString: URL_OF_SERVER, max: 1 });
  pools.push(pool);
  return pool;
}
