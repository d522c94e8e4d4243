import { randomBytes } from "node:crypto";
import { Pool } from "pg";
import { openPostgresStore, type PostgresStore } from "turnkeep/stores/postgres";
import { onTestFinished } from "vitest";
import type { SessionKey } from "../../../src/ledger/index.ts";
import { createScope, createSessionKey } from "../../../src/ledger/index.ts";
import { postgresUrl } from "../../support/postgres-url.ts";
import { whenOver } from "../../support/when-over.ts";

/** Empty when the run goes on without Postgres, of which it has said so loudly. */
export { postgresUrl as URL_OF_SERVER };

let pool: Pool | undefined;

/** The name of a schema that is gone when the test file is done. */
export function newSchema(): string {
  const schema = `test_${randomBytes(8).toString("hex")}`;
  // First, so that it is closed last.
  pool ??= newPool();
  whenOver(async () => {
    await ask("set client_min_messages to warning");
    await ask(`drop schema if exists "${schema}" cascade`);
  });
  return schema;
}

/** A store that is closed after the test. */
export async function openStore(
  options: Partial<Parameters<typeof openPostgresStore>[0]> = {},
): Promise<PostgresStore> {
  const given = { schema: newSchema(), ...options };
  const server = given.pool === undefined ? { connectionString: postgresUrl } : {};
  const store = await openPostgresStore({ ...server, ...given } as Parameters<
    typeof openPostgresStore
  >[0]);
  onTestFinished(() => store.close());
  return store;
}

/** Runs a statement as the superuser. */
export async function ask(
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  pool ??= newPool();
  const { rows } = await pool.query<Record<string, unknown>>(text, values);
  return rows;
}

/** A session of one tenant and agent. */
export function keyOf(sessionId: string, tenant = "tenant"): SessionKey {
  return createSessionKey(createScope(tenant), "agent", sessionId);
}

function newPool(): Pool {
  // One connection, so that what is set on it stays set.
  const opened = new Pool({ connectionString: postgresUrl, max: 1 });
  whenOver(async () => {
    pool = undefined;
    await opened.end();
  });
  return opened;
}
