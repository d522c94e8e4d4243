import assert from "node:assert/strict";
import type { KeyRange, RangeQuery, SessionStore } from "../../ledger/index.ts";
import type { ContractCase } from "./contract-case.ts";
import { createSession, keyOf, rejectsWith, rowsOf } from "./contract-session.ts";

const KEY = keyOf("session");
const ALL: KeyRange = ["!", "~"];
const EVENTS: KeyRange = ["event/1/", "event/1/~"];

async function keysOf(store: SessionStore, query: Partial<RangeQuery>): Promise<readonly string[]> {
  const rows = await store.range(KEY, { range: ALL, limit: 100, maxBytes: 1_000_000, ...query });
  return rows.map((row) => row.key);
}

export const rangeCases: readonly ContractCase[] = [
  {
    name: "range: a session that does not exist has no rows",
    run: async (store) => assert.deepEqual(await keysOf(store, {}), []),
  },
  {
    name: "range: rows come with their values, in byte order of their keys, whatever order they came in",
    run: async (store) => {
      // A locale would put `a` before `B`, and skip over punctuation.
      const keys = [
        "step/1/-",
        "step/1/.",
        "step/1/0",
        "step/1/9",
        "step/1/A",
        "step/1/B",
        "step/1/_",
        "step/1/a",
        "step/1/a.",
        "step/1/a0",
        "step/1/b",
        "step/1/{",
      ];
      await createSession(store, KEY, { put: rowsOf(...keys.toReversed()) });
      const rows = await store.range(KEY, {
        range: ["step/1/", "step/1/~"],
        limit: 100,
        maxBytes: 10_000,
      });
      assert.deepEqual(rows, rowsOf(...keys));
    },
  },
  {
    name: "range: rows of several kinds come in one order",
    run: async (store) => {
      const keys = [
        "delta/000000/000000",
        "end/1",
        "event/1/000001",
        "input/1/000000",
        "request/1",
        "run/1",
        "snapshot/1",
        "step/1/a",
      ];
      await createSession(store, KEY, { put: rowsOf(...keys.toReversed()) });
      assert.deepEqual(await keysOf(store, {}), keys);
      assert.deepEqual(await keysOf(store, { limit: 3 }), keys.slice(0, 3));
      assert.deepEqual(await keysOf(store, { range: ["end/1", "snapshot/1"] }), keys.slice(1, 7));
      assert.deepEqual(await keysOf(store, { range: ["f", "m"], floorWithin: "a" }), [
        "event/1/000001",
        "input/1/000000",
      ]);
    },
  },
  {
    name: "range: holds both its ends",
    run: async (store) => {
      const keys = ["event/1/000001", "event/1/000002", "event/1/000003", "event/1/000004"];
      await createSession(store, KEY, { put: rowsOf(...keys) });
      assert.deepEqual(
        await keysOf(store, { range: ["event/1/000002", "event/1/000003"] }),
        keys.slice(1, 3),
      );
      assert.deepEqual(await keysOf(store, { range: ["event/1/000003", "event/1/000002"] }), []);
    },
  },
  {
    name: "range: finds its rows among very many",
    run: async (store) => {
      const keys = Array.from(
        { length: 3000 },
        (_, index) => `event/1/${String(index).padStart(6, "0")}`,
      );
      // Not in order, as when two writers take turns.
      const put = [
        ...keys.filter((_, index) => index % 2 === 1),
        ...keys.filter((_, index) => index % 2 === 0),
      ];
      await createSession(store, KEY, { put: rowsOf(...put) });
      assert.deepEqual(await keysOf(store, { limit: 5000 }), keys);
      const range: KeyRange = ["event/1/001234", "event/1/001239"];
      assert.deepEqual(await keysOf(store, { range }), keys.slice(1234, 1240));
    },
  },
  {
    name: "range: gives no more rows than the limit",
    run: async (store) => {
      const keys = ["event/1/000001", "event/1/000002", "event/1/000003"];
      await createSession(store, KEY, { put: rowsOf(...keys) });
      for (const limit of [1, 2, 3, 4]) {
        assert.deepEqual(await keysOf(store, { limit }), keys.slice(0, limit));
      }
    },
  },
  {
    name: "range: gives no more bytes than allowed, but at least one row",
    run: async (store) => {
      const keys = ["event/1/000001", "event/1/000002", "event/1/000003"];
      // 1,002 bytes each, and 502 characters.
      await createSession(store, KEY, {
        put: keys.map((key) => ({ key, value: JSON.stringify("é".repeat(500)) })),
      });
      assert.deepEqual(await keysOf(store, { maxBytes: 1 }), keys.slice(0, 1));
      assert.deepEqual(await keysOf(store, { maxBytes: 1900 }), keys.slice(0, 1));
      assert.deepEqual(await keysOf(store, { maxBytes: 2500 }), keys.slice(0, 2));
      assert.deepEqual(await keysOf(store, { maxBytes: 9000 }), keys);
    },
  },
  {
    name: "range: begins with the row at or below its start, if one is within the floor",
    run: async (store) => {
      const keys = ["event/1/000001", "event/1/000005", "event/1/000009"];
      await createSession(store, KEY, { put: rowsOf("event/0/000001", ...keys, "event/2/000001") });
      const from = (start: string, floorWithin = "event/1/"): Promise<readonly string[]> =>
        keysOf(store, { range: [start, EVENTS[1]], floorWithin });
      assert.deepEqual(await from("event/1/000000"), keys);
      assert.deepEqual(await from("event/1/000001"), keys);
      assert.deepEqual(await from("event/1/000004"), keys);
      assert.deepEqual(await from("event/1/000005"), keys.slice(1));
      assert.deepEqual(await from("event/1/000006"), keys.slice(1));
      assert.deepEqual(await from("event/1/00000z"), keys.slice(2));
      assert.deepEqual(await from("event/1/000004", "event/1/000001"), keys);
      assert.deepEqual(await from("event/1/000004", "event/1/000002"), keys.slice(1));
    },
  },
  {
    name: "range: the row at the floor counts against the bounds",
    run: async (store) => {
      await createSession(store, KEY, {
        put: rowsOf("event/1/000001", "event/1/000005", "event/1/000009"),
      });
      const query = { range: ["event/1/000003", EVENTS[1]] as const, floorWithin: EVENTS[0] };
      assert.deepEqual(await keysOf(store, { ...query, limit: 2 }), [
        "event/1/000001",
        "event/1/000005",
      ]);
      assert.deepEqual(await keysOf(store, { ...query, maxBytes: 1 }), ["event/1/000001"]);
    },
  },
  {
    name: "range: without a floor it begins at its start",
    run: async (store) => {
      await createSession(store, KEY, { put: rowsOf("event/1/000001", "event/1/000005") });
      assert.deepEqual(await keysOf(store, { range: ["event/1/000003", EVENTS[1]] }), [
        "event/1/000005",
      ]);
    },
  },
  {
    name: "range: refuses bounds that are no whole numbers from 1 up",
    run: async (store) => {
      for (const bound of [0, -1, 1.5, Number.NaN]) {
        await rejectsWith(() => keysOf(store, { limit: bound }), { status: "INVALID_ARGUMENT" });
        await rejectsWith(() => keysOf(store, { maxBytes: bound }), { status: "INVALID_ARGUMENT" });
      }
    },
  },
];
