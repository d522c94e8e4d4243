import process from "node:process";
import { Client, Pool } from "pg";
import { openPostgresStore, type PostgresStore } from "turnkeep/stores/postgres";
import { activeTurn, headRecord } from "turnkeep/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UnknownOutcomeError } from "../../../src/ledger/index.ts";
import { FaultProxy } from "../../support/fault-proxy.ts";
import { startPostgres } from "../../support/services-postgres.ts";
import { ask, keyOf, newSchema, openStore, URL_OF_SERVER } from "./database.ts";

const KEY = keyOf("session");
const LIMITS = { queryTimeoutMs: 1500, connectTimeoutMs: 1500 };
const AWAY = { status: "UNAVAILABLE", retryable: true };

describe.skipIf(URL_OF_SERVER === "")("when the network fails", () => {
  let proxy: FaultProxy;
  let store: PostgresStore;
  let schema: string;

  beforeEach(async () => {
    proxy = await FaultProxy.start(Number(new URL(URL_OF_SERVER).port));
    schema = newSchema();
    const connectionString = proxy.addressFor(URL_OF_SERVER);
    store = await openStore({ connectionString, schema, listen: false, ...LIMITS });
    const record = headRecord({ active: activeTurn() });
    await store.commit(KEY, { expect: 0, record });
  });

  afterEach(async () => {
    proxy.traffic = "pass";
    await store.close();
    await proxy.stop();
  });

  it("gives up on a connection that is half open, and works again when packets flow", async () => {
    proxy.traffic = "drop";
    await expect(store.load(KEY)).rejects.toMatchObject(AWAY);
    await expect(store.list(KEY.scope, { limit: 1 })).rejects.toMatchObject(AWAY);
    proxy.traffic = "pass";
    expect((await store.load(KEY)).version).toBe(1);
  });

  it("says that it does not know the outcome of a commit whose answer is lost", async () => {
    proxy.traffic = "drop-answers";
    const record = headRecord({ rev: 1 });
    const commit = store.commit(KEY, { expect: 1, record });
    const error = await commit.catch((reason: unknown) => reason);
    expect(UnknownOutcomeError.is(error)).toBe(true);
    proxy.traffic = "pass";
    expect(await store.load(KEY)).toMatchObject({ version: 2, record: { rev: 1 } });
  });

  it("says that it does not know the outcome of a commit whose connection breaks", async () => {
    proxy.onQuestion = (bytes) => {
      if (bytes.includes("commit_session")) setImmediate(() => proxy.reset());
    };
    const commit = store.commit(KEY, { expect: 1, record: headRecord() });
    const error = await commit.catch((reason: unknown) => reason);
    expect(UnknownOutcomeError.is(error)).toBe(true);
    proxy.onQuestion = () => {};
    expect([1, 2]).toContain((await store.load(KEY)).version);
  });

  it("knows that a commit is not written for which there was no connection", async () => {
    const connectionString = proxy.addressFor(URL_OF_SERVER);
    const pool = new Pool({ connectionString, connectionTimeoutMillis: 60_000 });
    const other = await openStore({ pool, schema, listen: false, ...LIMITS });
    const removed = new Promise((resolve) => pool.once("remove", resolve));
    proxy.reset();
    await removed;
    proxy.traffic = "drop";
    const commit = other.commit(KEY, { expect: 1, record: headRecord() });
    const error = await commit.catch((reason: unknown) => reason);
    expect(error).toMatchObject(AWAY);
    expect(UnknownOutcomeError.is(error)).toBe(false);
    proxy.traffic = "pass";
    proxy.reset();
    expect((await store.load(KEY)).version).toBe(1);
    await other.close();
    await pool.end();
  });

  it("outlives a connection that ends with the very words that it is ready", async () => {
    const said = "SFATAL\0C57P01\0Mterminating connection\0\0";
    const farewell = Buffer.from(`E\0\0\0${String.fromCharCode(said.length + 4)}${said}`, "latin1");
    const ready = Buffer.from("Z\0\0\0\x05I", "latin1");
    const connectionString = proxy.addressFor(URL_OF_SERVER);
    const other = { connectionString, schema, listen: false, ...LIMITS };
    proxy.onAnswer = (bytes) => (bytes.includes(ready) ? Buffer.concat([bytes, farewell]) : bytes);
    await expect(openPostgresStore(other)).rejects.toMatchObject(AWAY);
    proxy.onAnswer = (bytes) => bytes;
    expect((await (await openStore(other)).load(KEY)).version).toBe(1);
  });

  it("an append may be asked again when its answer was lost", async () => {
    const rows = [{ key: "event/1/000001", value: '"once"' }];
    const append = { key: KEY, fence: { snapshotId: "snapshot-1", epoch: 1 }, rows };
    proxy.traffic = "drop-answers";
    await expect(store.append([append])).rejects.toMatchObject(AWAY);
    proxy.traffic = "pass";
    expect(await store.append([append])).toEqual(["ok"]);
    expect(await store.range(KEY, { range: ["!", "~"], limit: 9, maxBytes: 99 })).toEqual(rows);
  });

  it("breaks off a statement that waits for a lock for too long", async () => {
    const connectionString = URL_OF_SERVER;
    const other = await openStore({ connectionString, schema, ...LIMITS });
    await ask("begin");
    try {
      await ask(`select from "${schema}".sessions for update`);
      const commit = other.commit(KEY, { expect: 1, record: headRecord() });
      await expect(commit).rejects.toMatchObject({ ...AWAY, reason: "STORE_BUSY" });
    } finally {
      await ask("rollback");
    }
    expect(await other.commit(KEY, { expect: 1, record: headRecord() })).toBe("ok");
  });

  it("closes in good time when the other end is gone", async () => {
    await Promise.all([store.load(KEY), store.load(KEY)]);
    proxy.traffic = "drop";
    await store.close();
  });
});

describe.skipIf(URL_OF_SERVER === "")("when the server fails", () => {
  it("outlives its crash, and works when it is back", async () => {
    const server = await startPostgres({});
    try {
      await outliveCrash(server.url);
    } finally {
      await server.stop();
    }
  });
});

async function outliveCrash(url: string): Promise<void> {
  const store = await openPostgresStore({ connectionString: url, ...LIMITS });
  const watching = new AbortController();
  const watched = (async () => {
    for await (const change of store.watch(KEY, watching)) expect(change).toBe(undefined);
  })();
  const record = headRecord({ active: activeTurn() });
  expect(await store.commit(KEY, { expect: 0, record })).toBe("ok");
  const before = await processesAt(url);
  expect(before.length).toBeGreaterThan(0);
  // Some connections idle, one listening, and some at work: a process of the server that dies takes all with it.
  const work = Array.from({ length: 20 }, (_, index) =>
    store.commit(keyOf(`session-${index}`), { expect: 0, record }),
  );
  process.kill(before[0] ?? 0, "SIGKILL");
  for (const outcome of await Promise.allSettled(work)) {
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject(AWAY);
  }
  const isBack = (): Promise<boolean> =>
    store.load(KEY).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject(AWAY);
        return false;
      },
    );
  await expect.poll(isBack).toBe(true);
  expect((await store.load(KEY)).version).toBe(1);
  expect(await store.commit(KEY, { expect: 1, record })).toBe("ok");
  const after = await processesAt(url);
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  watching.abort();
  await watched;
  await store.close();
}

/** The processes of the server that serve the store. */
async function processesAt(url: string): Promise<readonly number[]> {
  const client = new Client(url);
  await client.connect();
  const sql = "select pid from pg_stat_activity where application_name = 'turnkeep'";
  const { rows } = await client.query<{ pid: number }>(sql);
  await client.end();
  return rows.map(({ pid }) => pid);
}
