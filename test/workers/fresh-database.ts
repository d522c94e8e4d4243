import { randomUUID } from "node:crypto";
import pg from "pg";
import { whenOver } from "../agent/life/leftovers.ts";
import { POSTGRES } from "./engines.ts";

/** A database of its own on the tests' server, gone when the tests are over. */
export async function freshDatabase(): Promise<string> {
  const name = `queue_${randomUUID().replaceAll("-", "")}`;
  const run = async (sql: string): Promise<void> => {
    const client = new pg.Client(POSTGRES.url);
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await run(`create database ${name}`);
  whenOver(() => run(`drop database ${name} with (force)`));
  return POSTGRES.url.replace(/[^/]*$/, name);
}
