import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Redis } from "ioredis";
import { Client } from "pg";
import type { PlaceSettings } from "./place.ts";

/** Everything a place holds, as one text: whatever a thief of its files, tables or keys could find. */
export async function dumpPlace(settings: PlaceSettings): Promise<string> {
  const { kind, url = "", schema = "", prefix = "", path = "" } = settings;
  switch (kind) {
    case "sqlite":
      return dumpFolder(dirname(path));
    case "file":
      return dumpFolder(path);
    case "postgres":
      return await dumpSchema(url, schema);
    case "redis":
      return await dumpKeys(url, prefix);
    default:
      throw new Error(`Nobody knows how to look into a place of kind ${kind}.`);
  }
}

function dumpFolder(folder: string): string {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return entry.isFile() ? `${file}\n${readFileSync(file, "latin1")}` : file;
    })
    .join("\n");
}

/** The rows, and the pages they lie on once the tables were written anew. */
async function dumpSchema(url: string, schema: string): Promise<string> {
  const client = new Client(url);
  await client.connect();
  const ask = async (sql: string, values: string[] = []): Promise<readonly string[]> =>
    (await client.query<{ text: string }>(sql, values)).rows.map(({ text }) => text);
  try {
    const lines: string[] = [];
    const tables = await ask(
      "select format('%I.%I', schemaname, tablename) as text from pg_tables where schemaname = $1",
      [schema],
    );
    for (const table of tables) {
      lines.push(...(await ask(`select t::text as text from ${table} t`)));
      await client.query(`vacuum full ${table}`);
    }
    await client.query("checkpoint");
    const files = await ask(
      "select pg_relation_filepath(oid) as text from pg_class where relnamespace = $1::regnamespace and relkind in ('r', 'i')",
      [schema],
    );
    for (const file of files) {
      lines.push(
        ...(await ask("select encode(pg_read_binary_file($1), 'escape') as text", [file])),
      );
    }
    return lines.join("\n");
  } finally {
    await client.end();
  }
}

async function dumpKeys(url: string, prefix: string): Promise<string> {
  const client = new Redis(url);
  try {
    const lines: string[] = [];
    for await (const keys of client.scanStream({ match: `{${prefix}*`, count: 1000 })) {
      for (const key of keys as string[]) lines.push(key, await dumpKey(client, key));
    }
    return lines.join("\n");
  } finally {
    client.disconnect();
  }
}

// DUMP would show short lists compressed.
async function dumpKey(client: Redis, key: string): Promise<string> {
  switch (await client.type(key)) {
    case "hash":
      return JSON.stringify(await client.hgetall(key));
    case "zset":
      return (await client.zrange(key, "0", "-1")).join("\n");
    case "set":
      return (await client.smembers(key)).join("\n");
    default:
      return (await client.get(key)) ?? "";
  }
}
