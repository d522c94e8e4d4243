import { type StoreSchema, TurnkeepError } from "../../ledger/index.ts";
import type { PostgresClient, PostgresValue } from "./postgres-pool.ts";

// Longer than statements else may take: another process may be migrating a large database.
const PATIENCE_MS = 120_000;

/**
 * Brings the schema up to the last migration. One transaction under a lock that ends with it: of several processes one migrates while
 * the others wait, and one that is killed leaves nothing behind. A schema that is up to date is only looked at, which any user may do.
 *
 * @throws TurnkeepError FAILED_PRECONDITION when the schema was written by a newer Turnkeep.
 */
export async function migrate(
  client: PostgresClient,
  schema: string,
  migrations: readonly string[],
): Promise<StoreSchema> {
  const found = await readVersion(client, schema);
  if (found === migrations.length) return { found, version: found };
  await changeSchema(client, schema, async () => {
    await createSchema(client, schema);
    await ask(client, `set local search_path to "${schema}", pg_temp`);
    await ask(client, "create table if not exists schema_version (version integer primary key)");
    const version = await readVersion(client, schema);
    if (version > migrations.length) throw tooNew(version, migrations.length);
    for (const [index, sql] of migrations.entries()) {
      if (index < version) continue;
      await ask(client, sql);
      await ask(client, "insert into schema_version (version) values ($1)", [index + 1]);
    }
  });
  return { found, version: migrations.length };
}

/** Does the work in a transaction that no other process is in for this schema. */
export async function changeSchema(
  client: PostgresClient,
  schema: string,
  work: () => Promise<void>,
): Promise<void> {
  await ask(client, "begin");
  try {
    await ask(client, "select set_config('statement_timeout', $1, true)", [String(PATIENCE_MS)]);
    await ask(client, "select pg_advisory_xact_lock(hashtextextended($1, 0))", [
      `turnkeep ${schema}`,
    ]);
    await work();
    await ask(client, "commit");
  } catch (error) {
    // On a connection that is gone there is nothing left to undo.
    await ask(client, "rollback").catch(() => {});
    throw error;
  }
}

/** 0 when there is no schema yet. */
async function readVersion(client: PostgresClient, schema: string): Promise<number> {
  const [found] = await ask(client, "select to_regclass($1)::text as name", [
    `"${schema}".schema_version`,
  ]);
  if ((found as { name: string | null }).name === null) return 0;
  const sql = `select coalesce(max(version), 0)::text as version from "${schema}".schema_version`;
  const [newest] = await ask(client, sql);
  return Number((newest as { version: string }).version);
}

// `if not exists` alone would ask for the right to create schemas even when there is nothing to create.
async function createSchema(client: PostgresClient, schema: string): Promise<void> {
  const [found] = await ask(client, "select to_regnamespace($1)::text as name", [`"${schema}"`]);
  if ((found as { name: string | null }).name === null) {
    await ask(client, `create schema if not exists "${schema}"`);
  }
}

/** Runs one statement, or several when there are no values, with more patience than the store has else. */
export async function ask(
  client: PostgresClient,
  text: string,
  values: PostgresValue[] = [],
): Promise<readonly unknown[]> {
  const { rows } = await client.query({
    text,
    // With values, even none, only one statement could be sent.
    ...(values.length > 0 && { values }),
    query_timeout: PATIENCE_MS,
  });
  return rows;
}

function tooNew(found: number, known: number): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `The schema has version ${found}, but this version of Turnkeep knows only up to ${known}. Update Turnkeep.`,
    { reason: "SCHEMA_TOO_NEW", details: { found, known } },
  );
}
