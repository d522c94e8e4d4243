import { Pool } from "pg";
import { openPostgresStore, type PostgresPool, PostgresStore } from "turnkeep/stores/postgres";
import { fakeClock, headRecord } from "turnkeep/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  checkServer,
  durabilityOf,
  type ServerSettings,
} from "../../../src/stores/postgres/server-settings.ts";
import { ask, keyOf, newSchema, openStore, URL_OF_SERVER } from "./database.ts";

const KEY = keyOf("session");

function makePool(): Pool {
  const pool = new Pool({ connectionString: URL_OF_SERVER, max: 3 });
  onTestFinished(() => pool.end());
  return pool;
}

/** The server's address with a setting that holds for every connection. */
function withSetting(setting: string): string {
  const url = new URL(URL_OF_SERVER);
  url.searchParams.set("options", `-c ${setting.replaceAll(" ", "\\ ")}`);
  return url.href;
}

it("refuses options that it cannot work with, before it connects", async () => {
  const connectionString = "postgres://nobody@nowhere.invalid/none";
  const wrong = [
    { connectionString, schema: "" },
    { connectionString, schema: 'a"; drop schema public; --' },
    { connectionString, schema: "Turnkeep" },
    { connectionString, schema: "pg_turnkeep" },
    { connectionString, schema: "x".repeat(64) },
    { connectionString, queryTimeoutMs: 0 },
    { connectionString, connectTimeoutMs: 1.5 },
    { connectionString, maxConnections: -1 },
    { connectionString, maxConnections: 1 },
    { connectionString, listen: "no" },
    { connectionString, rowLevelSecurity: 1 },
    { connectionString: "mysql://localhost" },
    { connectionString: "" },
    { pool: {} },
    {},
  ];
  for (const options of wrong) {
    const opening = openPostgresStore(options as Parameters<typeof openPostgresStore>[0]);
    await expect(opening, JSON.stringify(options)).rejects.toMatchObject({
      status: "INVALID_ARGUMENT",
    });
  }
});

it("says that no server is there, and that trying again may help", async () => {
  const opening = openPostgresStore({
    connectionString: "postgres://user:secret@127.0.0.1:1/none",
  });
  const error = await opening.catch((reason: unknown) => reason);
  expect(error).toMatchObject({ status: "UNAVAILABLE", retryable: true });
  expect((error as Error).message).not.toContain("secret");
});

describe("what a server promises", () => {
  const good: ServerSettings = {
    version: "150004",
    encoding: "UTF8",
    waits: "on",
    standbys: "",
    syncs: "on",
    isolation: "read committed",
    read_only: "off",
    is_replica: "false",
  };

  it("decides what the store promises", () => {
    expect(durabilityOf(good)).toBe("power-loss");
    expect(durabilityOf({ ...good, standbys: "ANY 1 (a, b)" })).toBe("replicated");
    expect(durabilityOf({ ...good, standbys: "*", waits: "remote_apply" })).toBe("replicated");
    expect(durabilityOf({ ...good, standbys: "*", waits: "local" })).toBe("power-loss");
    expect(durabilityOf({ ...good, standbys: "*", syncs: "off" })).toBe("process-crash");
  });

  it("must be enough to keep what is acknowledged", () => {
    expect(() => checkServer(good)).not.toThrow();
    const wrong: Partial<ServerSettings>[] = [
      { version: "140012" },
      { encoding: "SQL_ASCII" },
      { waits: "off" },
      { isolation: "serializable" },
      { read_only: "on" },
      { is_replica: "true" },
    ];
    for (const settings of wrong) {
      expect(() => checkServer({ ...good, ...settings })).toThrow(
        expect.objectContaining({ status: "FAILED_PRECONDITION", reason: "STORE_UNSUITABLE" }),
      );
    }
  });
});

describe.skipIf(URL_OF_SERVER === "")("on a server", () => {
  it.each([
    ["synchronous_commit=off", "synchronous_commit"],
    ["default_transaction_read_only=on", "primary"],
    ["default_transaction_isolation=serializable", "read committed"],
  ])("refuses %s and names the fix", async (setting, fix) => {
    const connectionString = withSetting(setting);
    await expect(openStore({ connectionString })).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
      reason: "STORE_UNSUITABLE",
      message: expect.stringContaining(fix),
    });
  });

  it("refuses a database in another encoding", async () => {
    const url = new URL(URL_OF_SERVER);
    url.pathname = `/${newSchema()}`;
    const name = url.pathname.slice(1);
    await ask(`create database ${name} encoding 'SQL_ASCII' template template0`);
    onTestFinished(async () => void (await ask(`drop database ${name} with (force)`)));
    await expect(openStore({ connectionString: url.href })).rejects.toMatchObject({
      reason: "STORE_UNSUITABLE",
      message: expect.stringContaining("UTF8"),
    });
  });

  it("says that a database does not exist, or a user may not sign in", async () => {
    const url = new URL(URL_OF_SERVER);
    url.pathname = "/nowhere";
    const error = { status: "FAILED_PRECONDITION", reason: "STORE_UNSUITABLE" };
    await expect(openStore({ connectionString: url.href })).rejects.toMatchObject(error);
    url.username = "nobody";
    await expect(openStore({ connectionString: url.href })).rejects.toMatchObject(error);
  });

  it("leaves a pool open that was handed in, and as it was", async () => {
    const pool = makePool();
    const store = await openStore({ pool, schema: newSchema() });
    expect(await store.commit(KEY, { expect: 0, record: headRecord() })).toBe("ok");
    await store.close();
    expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    expect(pool.listenerCount("error")).toBe(0);
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  it("ends the pool that it made", async () => {
    const schema = newSchema();
    const url = new URL(URL_OF_SERVER);
    url.searchParams.set("application_name", schema);
    const count = async (): Promise<unknown> => {
      const sql = "select count(*)::int as open from pg_stat_activity where application_name = $1";
      return (await ask(sql, [schema]))[0]?.["open"];
    };
    const store = await openStore({ connectionString: url.href, schema });
    await Promise.all([store.load(KEY), store.load(KEY)]);
    expect(await count()).toBe(2);
    await store.close();
    await expect.poll(count).toBe(0);
  });

  it("says that the store is closed when somebody ended its pool", async () => {
    const pool = new Pool({ connectionString: URL_OF_SERVER });
    const store = await openStore({ pool, schema: newSchema() });
    await pool.end();
    await expect(store.load(KEY)).rejects.toMatchObject({ reason: "STORE_CLOSED" });
  });

  it("refuses calls before it is opened", async () => {
    const store = new PostgresStore({ pool: makePool(), schema: newSchema() });
    await expect(store.load(KEY)).rejects.toMatchObject({ status: "FAILED_PRECONDITION" });
    await store.close();
  });

  it("takes the time from the clock it is given, and else from Postgres", async () => {
    const clock = fakeClock(1000);
    const schema = newSchema();
    const store = await openStore({ clock, schema });
    await store.commit(KEY, { expect: 0, record: headRecord({ dueAt: 2000 }) });
    expect((await store.load(KEY)).now).toBe(1000);
    expect(await store.due({ kind: "work", limit: 1 })).toEqual([]);
    clock.advance(1000);
    expect(await store.due({ kind: "work", limit: 1 })).toHaveLength(1);
    const other = await openStore({ schema });
    const [row] = await ask("select extract(epoch from clock_timestamp()) * 1000 as now");
    expect(Math.abs((await other.load(KEY)).now - Number(row?.["now"]))).toBeLessThan(5000);
  });

  it("eight stores that open a new schema at once migrate it once", async () => {
    const schema = newSchema();
    const stores = await Promise.all(Array.from({ length: 8 }, () => openStore({ schema })));
    expect(await ask(`select version from "${schema}".schema_version`)).toEqual([{ version: 1 }]);
    for (const [index, store] of stores.entries()) {
      expect(await store.commit(KEY, { expect: index, record: headRecord() })).toBe("ok");
    }
  });

  it("refuses a schema from a newer version and names both", async () => {
    const schema = newSchema();
    await (await openStore({ schema })).close();
    await ask(`insert into "${schema}".schema_version (version) values (99)`);
    await expect(openStore({ schema })).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
      reason: "SCHEMA_TOO_NEW",
      message: expect.stringMatching(/version 99.*up to 1\b/),
    });
  });

  it("asks once for each call", async () => {
    const pool = makePool();
    const asked: string[] = [];
    const counting: PostgresPool = {
      on: (event, listener) => pool.on(event, listener),
      removeListener: (event, listener) => pool.removeListener(event, listener),
      connect: async () => {
        const client = await pool.connect();
        return new Proxy(client, {
          get: (target, name) => {
            const member: unknown = Reflect.get(target, name);
            if (typeof member !== "function") return member;
            return (...args: unknown[]) => {
              if (name === "query") asked.push((args[0] as { text: string }).text);
              return Reflect.apply(member, target, args) as unknown;
            };
          },
        });
      },
    };
    const store = await openStore({ pool: counting, schema: newSchema() });
    const active = headRecord({ chain: [["snapshot/", "snapshot/~"]] });
    const put = [{ key: "snapshot/1", value: "{}" }];
    const calls: Record<string, () => Promise<unknown>> = {
      commit: () =>
        store.commit(KEY, { expect: 0, record: active, put, drop: [["run/1", "run/2"]] }),
      load: () =>
        store.load(KEY, {
          rows: ["run/1"],
          tails: ["event/"],
          ranges: [["a", "b"]],
          chainOf: "head",
        }),
      append: () =>
        store.append(
          ["1", "2", "3"].map((id) => ({
            key: keyOf(id),
            fence: { epoch: 1, snapshotId: "s" },
            rows: put,
          })),
        ),
      range: () => store.range(KEY, { range: ["a", "z"], floorWithin: "a", limit: 9, maxBytes: 9 }),
      list: () => store.list(KEY.scope, { limit: 9 }),
      due: () => store.due({ kind: "sweep", limit: 9 }),
    };
    for (const [name, call] of Object.entries(calls)) {
      asked.length = 0;
      await call();
      expect(asked, name).toHaveLength(1);
    }
  });
});
