import { type SqliteDatabase, type SqliteStatement, SqliteStore } from "turnkeep/stores/sqlite";
import { activeTurn, headRecord } from "turnkeep/testing";
import { afterEach, expect, it } from "vitest";
import { UnknownOutcomeError } from "../../../src/ledger/index.ts";
import { testStore } from "../../support/test-store.ts";
import { DatabaseSync } from "./database-sync.ts";
import { keyOf } from "./session-keys.ts";
import { temporaryFile } from "./temporary-file.ts";

type Client = InstanceType<typeof DatabaseSync>;

const opened: Client[] = [];

afterEach(() => {
  for (const database of opened.splice(0)) closeQuietly(database);
});

function closeQuietly(database: Client): void {
  try {
    database.close();
  } catch {
    // The test has closed it.
  }
}

function openDatabase(path = temporaryFile()): Client {
  const database = new DatabaseSync(path);
  opened.push(database);
  return database;
}

/** A client that shows every statement before it runs, and may throw instead. */
function spyOn(
  database: Client,
  see: (sql: string, values: readonly unknown[]) => void,
): SqliteDatabase {
  return {
    exec: (sql) => {
      see(sql, []);
      database.exec(sql);
    },
    prepare: (sql) => {
      const statement: SqliteStatement = database.prepare(sql);
      return {
        run: (...values) => {
          see(sql, values);
          return statement.run(...values);
        },
        get: (...values) => statement.get(...values),
        all: (...values) => statement.all(...values),
        iterate: (...values) => statement.iterate(...values),
      };
    },
  };
}

async function openStore(database: SqliteDatabase): Promise<SqliteStore> {
  const store = new SqliteStore({ database });
  await store.open();
  return store;
}

testStore("sqlite with a client handed in", {
  create: async () => new SqliteStore({ database: openDatabase() }),
});

it("leaves a client open that it did not open", async () => {
  const database = openDatabase();
  const store = await openStore(database);
  await store.close();
  expect(database.prepare("select 1 as one").get()).toMatchObject({ one: 1 });
});

it("refuses calls before it is opened", async () => {
  const store = new SqliteStore({ database: openDatabase() });
  await expect(store.load(keyOf("session"))).rejects.toMatchObject({
    status: "FAILED_PRECONDITION",
  });
});

it("says that the store is closed when somebody closed its client", async () => {
  const database = openDatabase();
  const store = await openStore(database);
  database.close();
  await expect(store.load(keyOf("session"))).rejects.toMatchObject({ reason: "STORE_CLOSED" });
  await expect(
    store.commit(keyOf("session"), { expect: 0, record: headRecord() }),
  ).rejects.toMatchObject({
    reason: "STORE_CLOSED",
  });
});

it("waits for the disk at every commit", async () => {
  const database = openDatabase();
  database.exec("pragma synchronous = off");
  await openStore(database);
  expect(database.prepare("pragma synchronous").get()).toMatchObject({ synchronous: 2 });
  expect(database.prepare("pragma journal_mode").get()).toMatchObject({ journal_mode: "wal" });
});

it("refuses a client that does not let it wait for the disk", async () => {
  const database = openDatabase();
  database.exec("pragma synchronous = normal");
  const deaf: SqliteDatabase = {
    prepare: (sql) => database.prepare(sql),
    exec: (sql) => (sql.includes("synchronous") ? undefined : database.exec(sql)),
  };
  await expect(openStore(deaf)).rejects.toMatchObject({ reason: "STORE_UNSUITABLE" });
});

it("refuses a database in memory", async () => {
  await expect(openStore(openDatabase(":memory:"))).rejects.toMatchObject({
    reason: "STORE_UNSUITABLE",
  });
});

it("makes what is written at the same time durable together", async () => {
  let transactions = 0;
  const database = spyOn(openDatabase(), (sql) => {
    if (sql === "begin immediate") transactions += 1;
  });
  const store = await openStore(database);
  transactions = 0;
  const keys = Array.from({ length: 100 }, (_, index) => keyOf(`session-${index}`));
  const record = headRecord({ active: activeTurn() });
  const commits = keys.map((key) => store.commit(key, { expect: 0, record }));
  expect(new Set(await Promise.all(commits))).toEqual(new Set(["ok"]));
  expect(transactions).toBeLessThanOrEqual(2);
  const fence = { snapshotId: "snapshot-1", epoch: 1 };
  await store.append(
    keys.map((key) => ({ key, fence, rows: [{ key: "event/1/000001", value: "1" }] })),
  );
  expect(transactions).toBeLessThanOrEqual(4);
});

it("an error of one write does not hit those written together with it", async () => {
  const database = spyOn(openDatabase(), (_, values) => {
    if (values.includes('"poison"'))
      throw Object.assign(new Error("string or blob too big"), { errcode: 18 });
  });
  const store = await openStore(database);
  const write = (id: string, value: string): Promise<string> =>
    store.commit(keyOf(id), { expect: 0, record: headRecord(), put: [{ key: "run/1", value }] });
  const [one, two, three] = await Promise.allSettled([
    write("1", '"fine"'),
    write("2", '"poison"'),
    write("3", '"fine"'),
  ]);
  expect(one).toMatchObject({ value: "ok" });
  expect(two).toMatchObject({ reason: { status: "INVALID_ARGUMENT", reason: "LIMIT_EXCEEDED" } });
  expect(three).toMatchObject({ value: "ok" });
  expect((await store.load(keyOf("2"))).version).toBe(0);
  expect((await store.load(keyOf("3"), { rows: ["run/1"] })).rows.size).toBe(1);
});

it("says that it does not know the outcome when the disk fails at a commit, and goes on working", async () => {
  let isBroken = false;
  const IOERR_FSYNC = 1034;
  const database = spyOn(openDatabase(), (sql) => {
    if (isBroken && sql === "commit")
      throw Object.assign(new Error("disk I/O error"), { errcode: IOERR_FSYNC });
  });
  const store = await openStore(database);
  isBroken = true;
  const commits = ["1", "2"].map((id) =>
    store.commit(keyOf(id), { expect: 0, record: headRecord() }),
  );
  for (const outcome of await Promise.allSettled(commits)) {
    expect(outcome).toMatchObject({ status: "rejected" });
    expect(UnknownOutcomeError.is((outcome as PromiseRejectedResult).reason)).toBe(true);
  }
  isBroken = false;
  expect(await store.commit(keyOf("1"), { expect: 0, record: headRecord() })).toBe("ok");
});

it("understands clients that name their errors", async () => {
  let code = "";
  const database = spyOn(openDatabase(), (sql) => {
    if (code !== "" && sql === "begin immediate")
      throw Object.assign(new Error("refused"), { code });
  });
  const store = await openStore(database);
  const reasons = { SQLITE_FULL: "STORAGE_FULL", SQLITE_READONLY_DIRECTORY: "STORAGE_READ_ONLY" };
  for (const [named, reason] of Object.entries(reasons)) {
    code = named;
    const commit = store.commit(keyOf("session"), { expect: 0, record: headRecord() });
    await expect(commit).rejects.toMatchObject({ status: "UNAVAILABLE", reason, retryable: true });
  }
});

it("searches in an index for everything it reads and writes", async () => {
  const database = openDatabase();
  const statements = new Set<string>();
  await openStore({
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      statements.add(sql);
      return database.prepare(sql);
    },
  });
  const plans = [...statements]
    .filter((sql) => sql.includes("turnkeep_") && !sql.includes("turnkeep_schema"))
    .map((sql) => {
      const steps = database.prepare(`explain query plan ${sql}`).all() as { detail: string }[];
      return { sql, plan: steps.map((step) => step.detail).join("; ") };
    });
  expect(plans.length).toBeGreaterThan(15);
  expect(plans.filter(({ plan }) => /SCAN (turnkeep|row\b)|TEMP B-TREE/.test(plan))).toEqual([]);
  const chains = plans.filter(({ sql }) => sql.includes("$.chain"));
  expect(chains).toHaveLength(2);
  for (const { plan } of chains) {
    expect(plan).toContain(
      "SEARCH row USING INDEX turnkeep_lasting_rows_key (session=? AND key>? AND key<?)",
    );
  }
});
