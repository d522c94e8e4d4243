import { fileURLToPath } from "node:url";
import { Client, type QueryResult } from "pg";
import {
  buildCustomAgent,
  type Json,
  type LocalAgent,
  type SessionStore,
  type StateOption,
} from "turnkeep";
import { findSqliteClient } from "../../src/stores/sqlite/find-sqlite-client.ts";
import { startCli } from "../workers/start-cli.ts";
import type { PlaceSettings } from "../support/places/place.ts";

export interface Outcome {
  readonly code: number | NodeJS.Signals;
  readonly out: string;
  readonly err: string;
}

const MODULE = fileURLToPath(new URL("modules/shop.mjs", import.meta.url));

/** Runs a command on the module of the shop, in one of its builds. */
export async function runOnShop(
  args: readonly string[],
  shop: { readonly settings: PlaceSettings; readonly build: string },
): Promise<Outcome> {
  const [command = "", ...options] = args;
  return await runCommand([command, MODULE, ...options], {
    TURNKEEP_SHOP: JSON.stringify(shop),
  });
}

export async function runCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  const cli = startCli(args, environment);
  const code = await cli.ended;
  return { code, out: cli.lines.join("\n"), err: cli.complaints.join("\n") };
}

/** The shop as it was when it kept the sessions: each turn sets this state. */
export function shop(store: SessionStore, next: Json, state?: StateOption<Json>): LocalAgent {
  return buildCustomAgent<Json>(
    { name: "shop", store, ...(state && { state }) },
    async ({ session }) => {
      await session.run(() => {
        session.setCustom(next);
        session.addMessages({ role: "model", content: [{ text: "noted" }] });
      });
    },
  );
}

/** Takes anything, in this version. */
export function anyState(version: number): StateOption<Json> {
  return {
    version,
    schema: {
      "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as Json }) },
    },
  };
}

/** Changes a row behind the store's back. */
export async function corruptRow(
  settings: PlaceSettings,
  row: string,
  value: string,
): Promise<void> {
  await change(
    settings,
    settings.kind === "sqlite"
      ? "update turnkeep_lasting_rows set value = $1 where key = $2"
      : `update "${settings["schema"]}".session_rows set value = $1, packed = null where key = $2`,
    [value, row],
  );
}

/** Cuts off the head record of a session. */
export async function corruptRecord(settings: PlaceSettings, sessionId: string): Promise<void> {
  const table =
    settings.kind === "sqlite" ? "turnkeep_sessions" : `"${settings["schema"]}".sessions`;
  await change(settings, `update ${table} set record = $1 where name = $2`, ["{", sessionId]);
}

/** Everything that is kept, by table: files and pages change when they are opened. */
export async function allRows(settings: PlaceSettings): Promise<unknown> {
  if (settings.kind !== "sqlite") return await rowsOnServer(settings);
  const tables = ["turnkeep_sessions", "turnkeep_lasting_rows", "turnkeep_short_rows"];
  return await withDatabase(settings, (database) =>
    tables.map((table) => database.prepare(`select * from ${table}`).all()),
  );
}

async function change(
  settings: PlaceSettings,
  sql: string,
  values: readonly string[],
): Promise<void> {
  const changed =
    settings.kind === "sqlite"
      ? await withDatabase(
          settings,
          (database) => database.prepare(sql.replaceAll(/\$\d/g, "?")).run(...values).changes,
        )
      : (await askServer(settings, sql, values)).rowCount;
  if (Number(changed) !== 1) throw new Error("What was to be changed is not there once.");
}

async function rowsOnServer(settings: PlaceSettings): Promise<readonly string[]> {
  const { schema = "" } = settings;
  const tables = await askServer(
    settings,
    "select format('%I.%I', schemaname, tablename) as text from pg_tables where schemaname = $1",
    [schema],
  );
  const rows = tables.rows.map(async ({ text: table }) => {
    const kept = await askServer(settings, `select t::text as text from ${table} t`, []);
    return kept.rows.map(({ text }) => `${table} ${text}`);
  });
  return (await Promise.all(rows)).flat().toSorted();
}

async function askServer(
  { url = "" }: PlaceSettings,
  sql: string,
  values: readonly string[],
): Promise<QueryResult<{ text: string }>> {
  const client = new Client(url);
  await client.connect();
  try {
    return await client.query<{ text: string }>(sql, [...values]);
  } finally {
    await client.end();
  }
}

async function withDatabase<Result>(
  { path = "" }: PlaceSettings,
  work: (database: Database) => Result,
): Promise<Result> {
  const { DatabaseSync } = await findSqliteClient();
  const database = new DatabaseSync(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** The part of a SQLite client that is used here. */
interface Database {
  prepare(sql: string): {
    run(...values: readonly string[]): { readonly changes: number | bigint };
    all(): readonly unknown[];
  };
}

/** The last part of a snapshot's id, as rows know it. */
export function rowId(snapshotId = ""): string {
  return snapshotId.slice(snapshotId.lastIndexOf(".") + 1);
}
