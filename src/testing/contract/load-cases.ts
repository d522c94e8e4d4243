import assert from "node:assert/strict";
import { headRecord } from "../head-record.ts";
import type { ContractCase } from "./contract-case.ts";
import { createSession, keyOf, rowsOf } from "./contract-session.ts";

const KEY = keyOf("session");
const DELTAS = rowsOf(
  "delta/000000/000000",
  "delta/000000/000001",
  "delta/000000/000002",
  "delta/000001/000000",
  "delta/000001/000001",
  "delta/000002/000000",
);

export const loadCases: readonly ContractCase[] = [
  {
    name: "load: a session that was never written has version 0 and nothing in it",
    run: async (store) => {
      const want = {
        rows: ["run/1"],
        tails: ["event/1/"],
        ranges: [["a", "z"] as const],
        chainOf: "head" as const,
      };
      const { now, ...view } = await store.load(KEY, want);
      assert.deepEqual(view, { version: 0, record: null, rows: new Map(), tails: new Map() });
      assert.ok(now > 0);
    },
  },
  {
    name: "load: tells the time of the store's clock, where it has one to ask",
    run: async (store) => {
      const before = store.clock?.now() ?? 0;
      const { now } = await store.load(KEY);
      const after = store.clock?.now() ?? now;
      assert.ok(before <= now && now <= after);
    },
  },
  {
    name: "load: the record comes back as it was committed",
    run: async (store) => {
      const record = headRecord({
        rev: 7,
        head: "snapshot-7",
        labels: [{ name: "ü", snapshotId: "s" }],
        about: { title: "ü", tags: ["a"] },
      });
      await createSession(store, KEY, { record });
      assert.deepEqual((await store.load(KEY)).record, record);
    },
  },
  {
    name: "load: what a caller does to what it read changes nothing in the store",
    run: async (store) => {
      const chain: [string, string][] = [["a", "b"]];
      await createSession(store, KEY, { record: headRecord({ chain }) });
      chain.push(["c", "d"]);
      const { record } = await store.load(KEY);
      assert.ok(record !== null);
      try {
        (record.chain as [string, string][]).push(["e", "f"]);
      } catch {
        // A store may just as well hand out what cannot be changed.
      }
      assert.deepEqual((await store.load(KEY)).record?.chain, [["a", "b"]]);
    },
  },
  {
    name: "load: finds rows by name and leaves out those that are not there",
    run: async (store) => {
      await createSession(store, KEY, { put: rowsOf("run/1", "snapshot/1", "end/1") });
      const { rows } = await store.load(KEY, {
        rows: ["run/1", "snapshot/1", "snapshot/2", "run/"],
      });
      assert.deepEqual(
        new Map(rows),
        new Map(rowsOf("run/1", "snapshot/1").map((row) => [row.key, row.value])),
      );
    },
  },
  {
    name: "load: finds the greatest key under each prefix",
    run: async (store) => {
      const events = rowsOf(
        "event/1/000001",
        "event/1/000009",
        "event/1/00000a",
        "event/10/00000z",
      );
      await createSession(store, KEY, { put: [...events, ...rowsOf("delta/000001/000004")] });
      const { tails } = await store.load(KEY, {
        tails: ["event/1/", "event/2/", "delta/000001/", "delta/"],
      });
      assert.deepEqual([...tails].map(([prefix, row]) => `${prefix} ${row.key}`).toSorted(), [
        "delta/ delta/000001/000004",
        "delta/000001/ delta/000001/000004",
        "event/1/ event/1/00000a",
      ]);
      assert.deepEqual(tails.get("event/1/"), rowsOf("event/1/00000a")[0]);
    },
  },
  {
    name: "load: a range holds both its ends, and may reach over several kinds of rows",
    run: async (store) => {
      await createSession(store, KEY, {
        put: [...DELTAS, ...rowsOf("event/1/000001", "snapshot/1")],
      });
      const { rows } = await store.load(KEY, {
        ranges: [
          ["delta/000000/000001", "delta/000001/000000"],
          ["delta/000002/000000", "event/~"],
        ],
      });
      assert.deepEqual([...rows.keys()].toSorted(), [
        "delta/000000/000001",
        "delta/000000/000002",
        "delta/000001/000000",
        "delta/000002/000000",
        "event/1/000001",
      ]);
    },
  },
  {
    name: "load: reads the ranges of the head's chain",
    run: async (store) => {
      const chain = [
        ["delta/000000/000000", "delta/000000/000001"],
        ["delta/000001/000001", "delta/000001/000009"],
        ["delta/000007/000000", "delta/000007/000009"],
      ] as const;
      await createSession(store, KEY, { record: headRecord({ chain }), put: DELTAS });
      const { rows } = await store.load(KEY, { chainOf: "head" });
      const found = rowsOf("delta/000000/000000", "delta/000000/000001", "delta/000001/000001");
      assert.deepEqual(new Map(rows), new Map(found.map((row) => [row.key, row.value])));
    },
  },
  {
    name: "load: an empty chain has no rows",
    run: async (store) => {
      await createSession(store, KEY, { put: DELTAS });
      assert.equal((await store.load(KEY, { chainOf: "head" })).rows.size, 0);
    },
  },
  {
    name: "load: reads the ranges of the chain inside a row",
    run: async (store) => {
      const chain = [
        ["delta/000001/000000", "delta/000001/000000"],
        ["delta/000002/000000", "delta/000002/000000"],
      ];
      const snapshot = { key: "snapshot/1", value: JSON.stringify({ chain, text: "it's" }) };
      await createSession(store, KEY, { put: [...DELTAS, snapshot] });
      const { rows } = await store.load(KEY, {
        chainOf: { row: "snapshot/1" },
        rows: ["snapshot/1"],
      });
      assert.deepEqual([...rows.keys()].toSorted(), [
        "delta/000001/000000",
        "delta/000002/000000",
        "snapshot/1",
      ]);
    },
  },
  {
    name: "load: reads a chain beside any text, half of a surrogate pair and NUL included",
    run: async (store) => {
      const chain = [["delta/000001/000000", "delta/000001/000000"]] as const;
      const title = 'half \uD83D, \uDE00, \0, \\uD83D, \\\\uD83D, "chain":[], \\"';
      const text = { [title]: [title], chain: title };
      const value = JSON.stringify({ usage: text, chain, error: { message: title } });
      const record = headRecord({ chain, about: { title } });
      await createSession(store, KEY, { record, put: [...DELTAS, { key: "snapshot/1", value }] });
      for (const chainOf of ["head", { row: "snapshot/1" }] as const) {
        const view = await store.load(KEY, { chainOf, rows: ["snapshot/1"] });
        assert.deepEqual([...view.rows.keys()].toSorted(), ["delta/000001/000000", "snapshot/1"]);
        assert.equal(view.rows.get("snapshot/1"), value);
        assert.deepEqual(view.record, record);
      }
    },
  },
  {
    name: "load: the chain of a row that is missing, or has none, has no rows",
    run: async (store) => {
      const chain = [["delta/000000/000000", "delta/000000/000001"]] as const;
      await createSession(store, KEY, {
        record: headRecord({ chain }),
        put: [...DELTAS, ...rowsOf("snapshot/1")],
      });
      for (const row of ["snapshot/0", "snapshot/1"]) {
        assert.equal((await store.load(KEY, { chainOf: { row } })).rows.size, 0);
      }
    },
  },
  {
    name: "load: is one consistent read while others commit",
    run: async (store) => {
      await createSession(store, KEY);
      for (let rev = 1; rev <= 100; rev += 1) {
        const put = rowsOf(`snapshot/${String(rev).padStart(4, "0")}`);
        const record = headRecord({ rev, chain: [["snapshot/0001", put[0]?.key ?? ""]] });
        const read = async (): Promise<void> => {
          const view = await store.load(KEY, { chainOf: "head", tails: ["snapshot/"] });
          assert.equal(view.rows.size, view.record?.rev);
          assert.equal(view.rows.has(view.tails.get("snapshot/")?.key ?? ""), view.rows.size > 0);
        };
        const [before, written, after] = [
          read(),
          store.commit(KEY, { expect: rev, record, put }),
          read(),
        ];
        assert.equal(await written, "ok");
        await Promise.all([before, after]);
      }
    },
  },
  {
    name: "load: is one consistent read while another store on the same data commits",
    needs: "sharing",
    run: async (store, { reopen }) => {
      const other = await reopen();
      await createSession(store, KEY);
      for (let rev = 1; rev <= 50; rev += 1) {
        const put = rowsOf(`snapshot/${String(rev).padStart(4, "0")}`);
        const [written, { record, rows }] = await Promise.all([
          other.commit(KEY, { expect: rev, record: headRecord({ rev }), put }),
          store.load(KEY, { ranges: [["snapshot/", "snapshot/~"]] }),
        ]);
        assert.equal(written, "ok");
        assert.equal(rows.size, record?.rev);
      }
    },
  },
];
