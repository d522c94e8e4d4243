import { Pool, type PoolClient } from "pg";
import type { PostgresStore } from "turnkeep/stores/postgres";
import { headRecord } from "turnkeep/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testStore } from "../../support/test-store.ts";
import { ask, keyOf, newSchema, openStore, URL_OF_SERVER } from "./database.ts";

const TABLES = ["sessions", "session_rows", "lasting_rows", "short_rows"];
// An owner of schemas, and one who may only use what is in them. Neither is a superuser.
const OWNER = newSchema().replace("test", "owner");
const GUEST = newSchema().replace("test", "guest");

const schemas = new WeakMap<object, string>();

function urlOf(user: string): string {
  const url = new URL(URL_OF_SERVER);
  url.username = user;
  return url.href;
}

async function openAs(user: string, schema: string): Promise<PostgresStore> {
  const store = await openStore({ connectionString: urlOf(user), schema, rowLevelSecurity: true });
  schemas.set(store, schema);
  return store;
}

/** Counts what somebody sees who asks for everything. */
async function countAs(client: PoolClient, schema: string): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const table of TABLES) {
    const { rows } = await client.query(`select count(*)::int as seen from "${schema}".${table}`);
    counts.push((rows[0] as { seen: number }).seen);
  }
  return counts;
}

async function fill(store: PostgresStore): Promise<void> {
  for (const tenant of ["one", "two"]) {
    const put = ["run/1", "snapshot/1"].map((key) => ({ key, value: "{}" }));
    const record = headRecord({ dueAt: 1 });
    expect(await store.commit(keyOf("session", tenant), { expect: 0, record, put })).toBe("ok");
  }
}

describe.skipIf(URL_OF_SERVER === "")("row-level security", () => {
  beforeAll(async () => {
    for (const user of [OWNER, GUEST]) await ask(`create role ${user} login`);
    const [row] = await ask("select current_database() as name");
    await ask(`grant create on database "${String(row?.["name"])}" to ${OWNER}`);
  });

  afterAll(async () => {
    await ask("set client_min_messages to warning");
    for (const user of [OWNER, GUEST]) {
      await ask(`drop owned by ${user} cascade`);
      await ask(`drop role ${user}`);
    }
  });

  testStore("postgres with row-level security", {
    create: () => openAs(OWNER, newSchema()),
    reopen: (store) => openAs(OWNER, schemas.get(store) ?? ""),
  });

  it("shows nothing to the owner of the tables who names no tenant, and a tenant's own to one who does", async () => {
    const schema = newSchema();
    await fill(await openAs(OWNER, schema));
    const pool = new Pool({ connectionString: urlOf(OWNER), max: 1 });
    const client = await pool.connect();
    try {
      expect(await countAs(client, schema)).toEqual([0, 0, 0, 0]);
      await client.query("begin");
      await client.query("select set_config('turnkeep.tenant', 'one', true)");
      expect(await countAs(client, schema)).toEqual([1, 2, 1, 1]);
      const sql = `update "${schema}".sessions set tenant = 'two', agent = 'stolen'`;
      await expect(client.query(sql)).rejects.toMatchObject({ code: "42501" });
      await client.query("rollback");
      // On the same connection, after calls of the store's own functions.
      await client.query(`select * from "${schema}".due_sessions(false, null, null, 10)`);
      await client.query(
        `select * from "${schema}".list_sessions('one', 9e15, '', '', null, null, 10)`,
      );
      expect(await countAs(client, schema)).toEqual([0, 0, 0, 0]);
    } finally {
      client.release();
      await pool.end();
    }
  });

  it("works for a user who owns nothing, also without the option once it is switched on", async () => {
    const schema = newSchema();
    await fill(await openAs(OWNER, schema));
    await ask(`grant usage on schema "${schema}" to ${GUEST}`);
    await ask(
      `grant select, insert, update, delete on all tables in schema "${schema}" to ${GUEST}`,
    );
    for (const rowLevelSecurity of [true, false]) {
      const connectionString = urlOf(GUEST);
      const store = await openStore({ connectionString, schema, rowLevelSecurity });
      expect((await store.load(keyOf("session", "two"))).version).toBe(1);
      expect(await store.due({ kind: "work", limit: 10 })).toHaveLength(2);
      expect((await store.list(keyOf("x", "one").scope, { limit: 10 })).sessions).toHaveLength(1);
    }
  });

  it("says that a user lacks the rights to make, or to use, the schema", async () => {
    const schema = newSchema();
    const error = { status: "FAILED_PRECONDITION", reason: "STORE_UNSUITABLE" };
    await expect(openAs(GUEST, schema)).rejects.toMatchObject(error);
    await openAs(OWNER, schema);
    await expect(openAs(GUEST, schema)).rejects.toMatchObject(error);
  });

  it("is refused to a user whom it would not bind", async () => {
    const opening = openStore({ rowLevelSecurity: true });
    await expect(opening).rejects.toMatchObject({
      reason: "STORE_UNSUITABLE",
      message: expect.stringContaining("superuser"),
    });
  });
});
