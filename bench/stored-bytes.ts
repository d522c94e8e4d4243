import { dirname } from "node:path";
import { Redis } from "ioredis";
import { Client } from "pg";
import type { MemoryStore } from "turnkeep/stores/memory";
import type { SessionStore } from "../src/ledger/index.ts";
import type { Place } from "../test/support/places/place.ts";
import { folderBytes } from "./folder-bytes.ts";

/** What the data of a place takes up, as its own engine counts it. */
export async function placeBytes(
  { settings }: Pick<Place, "settings">,
  store: SessionStore,
): Promise<number> {
  // Only the memory store has nothing that another process could open.
  if (settings === undefined) return (store as MemoryStore).storedBytes();
  const { kind, url = "", schema = "", prefix = "", path = "" } = settings;
  switch (kind) {
    case "sqlite":
      return folderBytes(dirname(path));
    case "file":
      return folderBytes(path);
    case "postgres":
      return await schemaBytes(url, schema);
    case "redis":
      return await keysBytes(url, prefix);
    default:
      throw new Error(`Nobody knows how to measure a place of kind ${kind}.`);
  }
}

/** Tables, indexes and what is stored beside them, after the clean-up that Postgres would do by itself before long. */
export async function schemaBytes(url: string, schema: string): Promise<number> {
  const client = new Client(url);
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      "select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname = $1",
      [schema],
    );
    let bytes = 0;
    for (const { name } of tables.rows) {
      await client.query(`vacuum ${name}`);
      const size = await client.query<{ bytes: string }>(
        "select pg_total_relation_size($1::regclass) as bytes",
        [name],
      );
      bytes += Number(size.rows[0]?.bytes ?? 0);
    }
    return bytes;
  } finally {
    await client.end();
  }
}

async function keysBytes(url: string, prefix: string): Promise<number> {
  const client = new Redis(url);
  try {
    let bytes = 0;
    for await (const keys of client.scanStream({ match: `{${prefix}*`, count: 1000 })) {
      for (const key of keys as string[]) {
        bytes += Number(await client.call("MEMORY", "USAGE", key, "SAMPLES", "0"));
      }
    }
    return bytes;
  } finally {
    client.disconnect();
  }
}
