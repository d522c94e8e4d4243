import { Client } from "pg";
import type { PostgresStore } from "turnkeep/stores/postgres";
import { activeTurn, headRecord } from "turnkeep/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Append } from "../../../src/ledger/index.ts";
import { toAppendValues } from "../../../src/stores/postgres/write-append.ts";
import { ask, keyOf, newSchema, openStore, URL_OF_SERVER } from "./database.ts";

const KEY = keyOf("session");
const RUNNING = headRecord({ active: activeTurn() });
const APPEND: Append = {
  key: KEY,
  fence: { snapshotId: "snapshot-1", epoch: 1 },
  rows: [{ key: "event/1/000001", value: '"late"' }],
};

/** An append that has written but whose transaction is still open. Returns how to end it. */
async function beginAppend(schema: string): Promise<() => Promise<void>> {
  const client = new Client(URL_OF_SERVER);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("begin");
  const values = toAppendValues([{ append: APPEND, place: 0 }], null, () => "");
  const parameters = values.map((_, index) => `$${index + 1}`).join(", ");
  const { rows } = await client.query(
    `select "${schema}".append_rows(${parameters}) as outcomes`,
    values,
  );
  expect(rows).toEqual([{ outcomes: [true] }]);
  return async () => void (await client.query("commit"));
}

async function untilBlocked(count: number): Promise<void> {
  const sql = `select count(*)::int as waiting from pg_stat_activity
    where wait_event_type = 'Lock' and query like '%' || $1 || '%'`;
  await expect
    .poll(async () => (await ask(sql, ["_session"]))[0]?.["waiting"])
    .toBeGreaterThanOrEqual(count);
}

async function prepare(): Promise<{ store: PostgresStore; schema: string }> {
  const schema = newSchema();
  const store = await openStore({ schema });
  expect(await store.commit(KEY, { expect: 0, record: RUNNING })).toBe("ok");
  return { store, schema };
}

async function rowsLeft(schema: string): Promise<unknown> {
  return (await ask(`select count(*)::int as left from "${schema}".session_rows`))[0]?.["left"];
}

describe.skipIf(URL_OF_SERVER === "")("writes that meet in Postgres", () => {
  it.each([
    ["drops all rows", { record: headRecord({ epoch: 2, deletedAt: 1 }), drop: "all" }],
    ["drops a range", { record: RUNNING, drop: [["event/", "event/~"]] }],
    ["forgets the session", { record: null }],
  ] as const)("a commit that %s drops what an append added while it waited", async (_, change) => {
    const { store, schema } = await prepare();
    const end = await beginAppend(schema);
    const commit = store.commit(KEY, { expect: 1, ...change });
    await untilBlocked(1);
    await end();
    expect(await commit).toBe("ok");
    expect(await rowsLeft(schema)).toBe(0);
  });

  it("a commit conflicts with a row that an append put while it waited", async () => {
    const { store, schema } = await prepare();
    const end = await beginAppend(schema);
    const put = [{ key: "event/1/000001", value: '"mine"' }];
    const drop = [["event/", "event/~"]] as const;
    const commit = store.commit(KEY, { expect: 1, record: RUNNING, put, drop });
    await untilBlocked(1);
    await end();
    expect(await commit).toBe("conflict");
    const { version, rows } = await store.load(KEY, { rows: ["event/1/000001"] });
    expect({ version, rows: [...rows.values()] }).toEqual({ version: 1, rows: ['"late"'] });
  });

  it("stores that append to the same sessions in opposite orders do not block each other", async () => {
    const { store, schema } = await prepare();
    const other = await openStore({ schema });
    const keys = Array.from({ length: 20 }, (_, index) => keyOf(`session-${index}`));
    for (const key of keys) await store.commit(key, { expect: 0, record: RUNNING });
    const appendsOf = (writer: string, round: number): Append[] =>
      keys.map((key) => ({
        ...APPEND,
        key,
        rows: [{ key: `event/${writer}/${round}`, value: "1" }],
      }));
    for (let round = 0; round < 15; round += 1) {
      const outcomes = await Promise.all([
        store.append(appendsOf("a", round)),
        other.append(appendsOf("b", round).toReversed()),
      ]);
      expect(new Set(outcomes.flat())).toEqual(new Set(["ok"]));
    }
  });
});
