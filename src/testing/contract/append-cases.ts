import assert from "node:assert/strict";
import type { Append, Row } from "../../ledger/index.ts";
import { activeTurn, headRecord } from "../head-record.ts";
import type { ContractCase } from "./contract-case.ts";
import { createSession, keyOf, keysIn, readAll, rowsOf } from "./contract-session.ts";

const KEY = keyOf("session");
const FENCE = { snapshotId: "snapshot-1", epoch: 1 };
const RUNNING = headRecord({ active: activeTurn() });

const append = (rows: readonly Row[], overrides: Partial<Append> = {}): Append => ({
  key: KEY,
  fence: FENCE,
  rows,
  ...overrides,
});

export const appendCases: readonly ContractCase[] = [
  {
    name: "append: adds rows for the holder of the slot and leaves the record as it is",
    run: async (store) => {
      await createSession(store, KEY, { record: RUNNING });
      const rows = rowsOf("event/1/000001", "snapshot/1", "step/1/a");
      assert.deepEqual(await store.append([append(rows)]), ["ok"]);
      assert.deepEqual(await readAll(store, KEY), {
        version: 1,
        record: RUNNING,
        rows: new Map(rows.map((row) => [row.key, row.value])),
        tails: new Map(),
      });
    },
  },
  {
    name: "append: another epoch alone is fenced",
    run: async (store) => {
      await createSession(store, KEY, {
        record: headRecord({ epoch: 2, active: activeTurn({ epoch: 2 }) }),
      });
      for (const epoch of [1, 3]) {
        const fence = { ...FENCE, epoch };
        assert.deepEqual(await store.append([append(rowsOf("event/1/000001"), { fence })]), [
          "fenced",
        ]);
      }
      assert.deepEqual(await keysIn(store, KEY), []);
    },
  },
  {
    name: "append: another snapshot alone is fenced",
    run: async (store) => {
      await createSession(store, KEY, { record: RUNNING });
      const fence = { ...FENCE, snapshotId: "snapshot-2" };
      assert.deepEqual(await store.append([append(rowsOf("event/1/000001"), { fence })]), [
        "fenced",
      ]);
      assert.deepEqual(await keysIn(store, KEY), []);
    },
  },
  {
    name: "append: the record's epoch counts, not that of the active turn",
    run: async (store) => {
      await createSession(store, KEY, {
        record: headRecord({ epoch: 2, active: activeTurn({ epoch: 1 }) }),
      });
      const outcomes = await store.append([
        append(rowsOf("event/1/000001")),
        append(rowsOf("event/1/000002"), { fence: { ...FENCE, epoch: 2 } }),
      ]);
      assert.deepEqual(outcomes, ["fenced", "ok"]);
    },
  },
  {
    name: "append: to a session that does not exist is fenced and creates nothing",
    run: async (store) => {
      assert.deepEqual(await store.append([append(rowsOf("event/1/000001"))]), ["fenced"]);
      assert.equal((await readAll(store, KEY)).version, 0);
    },
  },
  {
    name: "append: after the turn has ended, been deleted or been forgotten is fenced",
    run: async (store) => {
      const ended = headRecord({ epoch: 1, active: null });
      const queued = headRecord({
        epoch: 1,
        queue: [{ runId: "run-1", turn: 0, snapshotId: "snapshot-1", since: 1 }],
      });
      const deleted = headRecord({ epoch: 2, deletedAt: 1 });
      for (const [index, record] of [ended, queued, deleted, null].entries()) {
        const key = keyOf(`session-${index}`);
        await createSession(store, key, { record: RUNNING });
        assert.equal(await store.commit(key, { expect: 1, record }), "ok");
        assert.deepEqual(await store.append([append(rowsOf("event/1/000001"), { key })]), [
          "fenced",
        ]);
        assert.deepEqual(await keysIn(store, key), []);
      }
    },
  },
  {
    name: "append: rows that are there with the same value count as written",
    run: async (store) => {
      await createSession(store, KEY, { record: RUNNING });
      const rows = rowsOf("event/1/000001", "event/1/000002", "snapshot/1");
      assert.deepEqual(await store.append([append(rows.slice(0, 1))]), ["ok"]);
      assert.deepEqual(await store.append([append(rows)]), ["ok"]);
      assert.deepEqual(await store.append([append(rows), append([...rows, ...rows])]), [
        "ok",
        "ok",
      ]);
      assert.deepEqual(await keysIn(store, KEY), [
        "event/1/000001",
        "event/1/000002",
        "snapshot/1",
      ]);
    },
  },
  {
    name: "append: one row with another value fences the whole append",
    run: async (store) => {
      for (const [index, taken] of ["event/1/000002", "snapshot/1"].entries()) {
        const key = keyOf(`session-${index}`);
        await createSession(store, key, { record: RUNNING, put: rowsOf(taken) });
        const before = await readAll(store, key);
        const rows = [
          ...rowsOf("event/1/000001"),
          { key: taken, value: '"other"' },
          ...rowsOf("event/1/000003"),
        ];
        assert.deepEqual(await store.append([append(rows, { key })]), ["fenced"]);
        assert.deepEqual(await readAll(store, key), before);
      }
    },
  },
  {
    name: "append: two values for one row fence the append that holds both",
    run: async (store) => {
      await createSession(store, KEY, { record: RUNNING });
      const rows = [...rowsOf("event/1/000001"), { key: "event/1/000001", value: '"other"' }];
      assert.deepEqual(await store.append([append(rows)]), ["fenced"]);
      assert.deepEqual(await keysIn(store, KEY), []);
    },
  },
  {
    name: "append: values are compared byte by byte, not by what they mean",
    run: async (store) => {
      await createSession(store, KEY, { record: RUNNING });
      const first = append([{ key: "event/1/000001", value: '{"a":1,"b":2}' }]);
      const second = append([{ key: "event/1/000001", value: '{"b":2,"a":1}' }]);
      assert.deepEqual(await store.append([first]), ["ok"]);
      assert.deepEqual(await store.append([second]), ["fenced"]);
    },
  },
  {
    name: "append: each of many stands alone, and outcomes come in their order",
    run: async (store) => {
      const keys = Array.from({ length: 20 }, (_, index) => keyOf(`session-${index}`));
      await Promise.all(
        keys.map((key) =>
          createSession(store, key, { record: RUNNING, put: rowsOf("event/1/000002") }),
        ),
      );
      const kinds = ["ok", "epoch", "value", "again"] as const;
      const appends = keys.map((key, index) => {
        const kind = kinds[index % kinds.length];
        const second =
          kind === "value"
            ? [{ key: "event/1/000002", value: '"other"' }]
            : rowsOf("event/1/000002");
        const fence = { ...FENCE, epoch: kind === "epoch" ? 7 : 1 };
        return append([...rowsOf("event/1/000001"), ...(kind === "ok" ? [] : second)], {
          key,
          fence,
        });
      });
      const outcomes = await store.append(appends);
      for (const [index, key] of keys.entries()) {
        const isFenced = ["epoch", "value"].includes(kinds[index % kinds.length] ?? "");
        assert.equal(outcomes[index], isFenced ? "fenced" : "ok");
        assert.equal((await keysIn(store, key)).length, isFenced ? 1 : 2);
      }
    },
  },
  {
    name: "append: several to one session are written in turn",
    run: async (store) => {
      await createSession(store, KEY, { record: RUNNING });
      const outcomes = await store.append([
        append(rowsOf("event/1/000001")),
        append([{ key: "event/1/000001", value: '"other"' }, ...rowsOf("event/1/000002")]),
        append(rowsOf("event/1/000003")),
      ]);
      assert.deepEqual(outcomes, ["ok", "fenced", "ok"]);
      assert.deepEqual(await keysIn(store, KEY), ["event/1/000001", "event/1/000003"]);
    },
  },
  {
    name: "append: none and nothing to append are fine",
    run: async (store) => {
      await createSession(store, KEY, { record: RUNNING });
      assert.deepEqual(await store.append([]), []);
      assert.deepEqual(await store.append([append([])]), ["ok"]);
    },
  },
  {
    name: "append: racing with a take-over, what is acknowledged is there and what is fenced is not",
    run: async (store) => {
      await createSession(store, KEY, { record: RUNNING });
      const keys = Array.from(
        { length: 60 },
        (_, index) => `event/1/${String(index).padStart(6, "0")}`,
      );
      const takeOver = headRecord({ epoch: 2, active: activeTurn({ epoch: 2 }) });
      const work = keys.map(async (key, index) => {
        if (index === 30)
          assert.equal(await store.commit(KEY, { expect: 1, record: takeOver }), "ok");
        const [outcome] = await store.append([append(rowsOf(key))]);
        return outcome;
      });
      const outcomes = await Promise.all(work);
      const acknowledged = keys.filter((_, index) => outcomes[index] === "ok");
      assert.deepEqual(await keysIn(store, KEY), acknowledged);
      assert.deepEqual(await store.append([append(rowsOf("event/1/zzzzzz"))]), ["fenced"]);
    },
  },
];
