import { readdirSync, readFileSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
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
import { whenOver } from "../agent/life/leftovers.ts";
import { dumpPlace } from "../support/places/dump-place.ts";
import type { PlaceSettings } from "../support/places/place.ts";
import type { PlaceName } from "../support/places/places.ts";
import { testPlace } from "../support/places/test-place.ts";

export interface Outcome {
  readonly code: number | NodeJS.Signals;
  readonly out: string;
  readonly err: string;
}

export const MODULE: string = fileURLToPath(new URL("modules/shop.mjs", import.meta.url));

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
function shop(store: SessionStore, next: Json, state?: StateOption<Json>): LocalAgent {
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
function anyState(version: number): StateOption<Json> {
  return {
    version,
    schema: {
      "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as Json }) },
    },
  };
}

export interface Stored {
  readonly settings: PlaceSettings;
  /** The ids of the last snapshots, by session. */
  readonly heads: Readonly<Record<string, string>>;
}

export interface StoredSession {
  readonly items: string | string[];
  readonly version?: number;
  readonly tenant?: string;
}

/** A store with a session of two turns in it for each of these states, the second of them in this version. */
export async function storeWith(
  kind: PlaceName,
  sessions: Readonly<Record<string, StoredSession>>,
): Promise<Stored> {
  const { settings, open } = await testPlace(kind, whenOver);
  const store = await open();
  const heads: Record<string, string> = {};
  for (const [sessionId, { items, version, tenant }] of Object.entries(sessions)) {
    const state = version === undefined ? undefined : anyState(version);
    const agent = shop(store, { items }, state);
    const options = { sessionId, ...(tenant && { tenant }) };
    await agent.runText("one", options);
    heads[sessionId] = (await agent.runText("two", options)).snapshotId ?? "";
  }
  await store.close();
  if (settings === undefined) throw new Error("No other process can open this place.");
  return { settings, heads };
}

/** How a command is told of the place. */
export function storeFlags(settings: PlaceSettings): readonly string[] {
  const { path, url = "", schema, prefix } = settings;
  if (path !== undefined) return ["--store", path];
  return ["--store", url, ...(schema ? ["--schema", schema] : ["--prefix", prefix ?? ""])];
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
  if (settings.kind === "file") return cutNewestEntry(settings.path ?? "", sessionId);
  if (settings.kind === "redis") return await cutHash(settings, sessionId);
  const table =
    settings.kind === "sqlite" ? "turnkeep_sessions" : `"${settings["schema"]}".sessions`;
  await change(settings, `update ${table} set record = $1 where name = $2`, ["{", sessionId]);
}

function cutNewestEntry(folder: string, sessionId: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
    join(folder, name),
  );
  const base = files.find(
    (file) => file.endsWith(".base") && readFileSync(file, "utf8").includes(`"${sessionId}"`),
  );
  if (base === undefined) throw new Error(`There is no session ${sessionId} to damage.`);
  const entries = readdirSync(dirname(base)).filter((name) => name.endsWith(".entry"));
  truncateSync(join(dirname(base), entries.toSorted().at(-1) ?? ""), 40);
}

async function cutHash({ url = "", prefix = "" }: PlaceSettings, name: string): Promise<void> {
  const client = new Redis(url);
  try {
    const keys = await client.keys(`{${prefix}.*}:head:*:${name}`);
    if (keys.length !== 1) throw new Error("What was to be changed is not there once.");
    await client.hset(keys[0] ?? "", "record", "{");
  } finally {
    client.disconnect();
  }
}

/** Everything that is kept, by table: files and pages change when they are opened. */
export async function allRows(settings: PlaceSettings): Promise<unknown> {
  if (settings.kind === "file" || settings.kind === "redis") return await dumpPlace(settings);
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
