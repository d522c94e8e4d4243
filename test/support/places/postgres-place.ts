import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { openPostgresStore } from "turnkeep/stores/postgres";
import type { Place } from "./place.ts";

/** A schema of its own, so that tests can share one server. */
export async function postgresPlace(url: string): Promise<Place> {
  const schema = `test_${randomBytes(8).toString("hex")}`;
  return {
    settings: { kind: "postgres", url, schema },
    open: (options) => openPostgresStore({ connectionString: url, schema, ...options }),
    remove: () => dropSchema(url, schema),
  };
}

async function dropSchema(url: string, schema: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query("set client_min_messages to warning");
    await client.query(`drop schema if exists "${schema}" cascade`);
  } finally {
    await client.end();
  }
}
