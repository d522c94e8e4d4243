import type { PostgresStore } from "turnkeep/stores/postgres";
import { headRecord } from "turnkeep/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type SessionKey, systemTimers } from "../../../src/ledger/index.ts";
import { FaultProxy } from "../../support/fault-proxy.ts";
import { ask, keyOf, newSchema, openStore, URL_OF_SERVER } from "./database.ts";

const KEY = keyOf("session");
const LOOK_EVERY_MS = 1000;
const NEVER_MS = 3_600_000;

/** Counts wake-ups until the test ends. */
function countWakeUps(store: PostgresStore, key: SessionKey): { count: number } {
  const wakeUps = { count: 0 };
  const watching = new AbortController();
  const watched = (async () => {
    for await (const change of store.watch(key, watching)) {
      expect(change).toBe(undefined);
      wakeUps.count += 1;
    }
  })();
  onTestFinished(async () => {
    watching.abort();
    await watched;
  });
  return wakeUps;
}

function urlNamed(name: string, url = URL_OF_SERVER): string {
  const address = new URL(url);
  address.searchParams.set("application_name", name);
  return address.href;
}

async function listenersOf(name: string): Promise<readonly number[]> {
  const sql =
    "select pid from pg_stat_activity where application_name = $1 and query ~ '^(listen|select 1)'";
  return (await ask(sql, [name])).map((row) => Number(row["pid"]));
}

/** Writes by `writer`, and waits until that has woken a watcher. */
async function wakeBy(
  wakeUps: { readonly count: number },
  writer: PostgresStore,
  expected: number,
): Promise<void> {
  const before = wakeUps.count;
  expect(await writer.commit(KEY, { expect: expected, record: headRecord() })).toBe("ok");
  await expect.poll(() => wakeUps.count).toBeGreaterThan(before);
}

/** For this test, nothing looks once a second: what comes was told. */
function withoutLooks(): void {
  const { sleep } = systemTimers;
  const sleeps = vi
    .spyOn(systemTimers, "sleep")
    .mockImplementation((milliseconds, options) =>
      sleep(milliseconds === LOOK_EVERY_MS ? NEVER_MS : milliseconds, options),
    );
  onTestFinished(() => sleeps.mockRestore());
}

describe.skipIf(URL_OF_SERVER === "")("watching in Postgres", () => {
  it("listens on one connection while anybody watches, and on none otherwise", async () => {
    const schema = newSchema();
    const store = await openStore({ connectionString: urlNamed(schema), schema });
    await store.load(KEY);
    expect(await listenersOf(schema)).toEqual([]);
    const watching = new AbortController();
    const iterators = ["1", "2", "3"].map((id) =>
      store.watch(keyOf(id), watching)[Symbol.asyncIterator](),
    );
    await expect.poll(() => listenersOf(schema)).toHaveLength(1);
    watching.abort();
    for (const iterator of iterators) expect((await iterator.next()).done).toBe(true);
    await expect.poll(() => listenersOf(schema)).toEqual([]);
  });

  it("is told of what other stores write, of its own session only", async () => {
    withoutLooks();
    const schema = newSchema();
    const store = await openStore({ connectionString: urlNamed(schema), schema });
    const writer = await openStore({ schema });
    const wakeUps = countWakeUps(store, KEY);
    await expect.poll(() => listenersOf(schema)).toHaveLength(1);
    for (let version = 0; version < 5; version += 1) await wakeBy(wakeUps, writer, version);
    const before = wakeUps.count;
    for (let others = 0; others < 10; others += 1) {
      await writer.commit(keyOf("other"), { expect: others, record: headRecord() });
    }
    await wakeBy(wakeUps, writer, 5);
    expect(wakeUps.count - before).toBe(1);
  });

  it("listens again when its connection was ended, and wakes everybody", async () => {
    const schema = newSchema();
    const store = await openStore({ connectionString: urlNamed(schema), schema });
    const writer = await openStore({ schema });
    const wakeUps = countWakeUps(store, KEY);
    await expect.poll(() => listenersOf(schema)).toHaveLength(1);
    const [first = 0] = await listenersOf(schema);
    await ask("select pg_terminate_backend($1)", [first]);
    await expect
      .poll(() => listenersOf(schema))
      .toEqual([expect.not.toSatisfy((pid: number) => pid === first)]);
    await wakeBy(wakeUps, writer, 0);
  });

  it("sees what nobody told it", async () => {
    const schema = newSchema();
    const store = await openStore({ connectionString: urlNamed(schema), schema, listen: false });
    const writer = await openStore({ schema, listen: false });
    const wakeUps = countWakeUps(store, KEY);
    await expect.poll(() => wakeUps.count).toBeGreaterThan(0);
    await wakeBy(wakeUps, writer, 0);
    expect(await listenersOf(schema)).toEqual([]);
  });

  it("notices a connection that is half open, and listens on another", async () => {
    const schema = newSchema();
    const proxy = await FaultProxy.start(Number(new URL(URL_OF_SERVER).port));
    onTestFinished(() => proxy.stop());
    const connectionString = urlNamed(schema, proxy.addressFor(URL_OF_SERVER));
    const store = await openStore({ connectionString, schema });
    countWakeUps(store, KEY);
    await expect.poll(() => listenersOf(schema)).toHaveLength(1);
    const [first] = await listenersOf(schema);
    proxy.traffic = "drop";
    // Only what was open before: new connections are let through.
    const asked = new Promise<void>((resolve) => {
      proxy.onQuestion = () => resolve();
    });
    await asked;
    proxy.forgetOpen();
    proxy.traffic = "pass";
    await expect
      .poll(async () => (await listenersOf(schema)).some((pid) => pid !== first))
      .toBe(true);
  });
});
