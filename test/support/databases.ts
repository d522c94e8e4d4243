import { randomBytes } from "node:crypto";
import { Client } from "pg";

/** Databases on one server, for those who would be in each other's way: what is open in one holds up tidying in all of its tables. */
export class Databases {
  readonly #made: { readonly server: string; readonly name: string }[] = [];

  /** Makes an empty one, and says where it is. */
  async create(server: string): Promise<string> {
    const name = `turnkeep_${randomBytes(8).toString("hex")}`;
    await ask(server, `create database ${name} template template0 encoding 'UTF8'`);
    this.#made.push({ server, name });
    const url = new URL(server);
    url.pathname = `/${name}`;
    return url.href;
  }

  /** Leaves the server as it was. */
  async drop(): Promise<void> {
    for (const { server, name } of this.#made.splice(0))
      await ask(server, `drop database if exists ${name} with (force)`);
  }
}

async function ask(server: string, statement: string): Promise<void> {
  const client = new Client(server);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
