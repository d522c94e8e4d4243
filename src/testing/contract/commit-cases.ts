import assert from "node:assert/strict";
import { headRecord } from "../head-record.ts";
import type { ContractCase } from "./contract-case.ts";
import { createSession, keyOf, keysIn, readAll, rowsOf } from "./contract-session.ts";

const KEY = keyOf("session");

export const commitCases: readonly ContractCase[] = [
  {
    name: "commit: the first makes version 1, and each further one adds 1",
    run: async (store) => {
      for (let version = 0; version < 4; version += 1) {
        assert.equal((await store.load(KEY)).version, version);
        const record = headRecord({ rev: version });
        assert.equal(await store.commit(KEY, { expect: version, record }), "ok");
      }
      assert.equal((await store.load(KEY)).record?.rev, 3);
    },
  },
  {
    name: "commit: on any version but the present one conflicts and writes nothing",
    run: async (store) => {
      await createSession(store, KEY, { put: rowsOf("run/1") });
      await store.commit(KEY, { expect: 1, record: headRecord({ rev: 1 }) });
      const before = await readAll(store, KEY);
      for (const expect of [0, 1, 3, 4]) {
        const commit = {
          expect,
          record: headRecord({ rev: 9 }),
          put: rowsOf("run/2"),
          drop: "all",
        } as const;
        assert.equal(await store.commit(KEY, commit), "conflict");
      }
      assert.deepEqual(await readAll(store, KEY), before);
    },
  },
  {
    name: "commit: on a version of a session that does not exist conflicts and creates nothing",
    run: async (store) => {
      const commit = { expect: 1, record: headRecord(), put: rowsOf("run/1") };
      assert.equal(await store.commit(KEY, commit), "conflict");
      assert.equal((await readAll(store, KEY)).version, 0);
      assert.deepEqual((await store.list(KEY.scope, { limit: 10 })).sessions, []);
    },
  },
  {
    name: "commit: a row that is there already conflicts, and nothing of the commit is written",
    run: async (store) => {
      const lasting = rowsOf("snapshot/1", "delta/000000/000000");
      await createSession(store, KEY, { put: [...lasting, ...rowsOf("run/1", "event/1/000001")] });
      const before = await readAll(store, KEY);
      for (const present of before.rows.keys()) {
        // In the middle, so that the ones before it would be left over from a half-done commit.
        const put = rowsOf("end/1", "snapshot/2", present, "run/2", "delta/000000/000001");
        const commit = {
          expect: 1,
          record: headRecord({ rev: 1 }),
          put,
          drop: [["input/", "input/~"]],
        } as const;
        assert.equal(await store.commit(KEY, commit), "conflict");
        assert.deepEqual(await readAll(store, KEY), before);
      }
    },
  },
  {
    name: "commit: a conflict keeps the rows it would have dropped",
    run: async (store) => {
      await createSession(store, KEY, { put: rowsOf("run/1", "run/2", "snapshot/1") });
      const before = await readAll(store, KEY);
      const commit = {
        expect: 1,
        record: headRecord(),
        put: rowsOf("snapshot/1"),
        drop: [["run/", "run/~"]],
      } as const;
      assert.equal(await store.commit(KEY, commit), "conflict");
      assert.deepEqual(await readAll(store, KEY), before);
    },
  },
  {
    name: "commit: the same row twice conflicts",
    run: async (store) => {
      for (const key of ["run/1", "snapshot/1"]) {
        const commit = { expect: 0, record: headRecord(), put: rowsOf(key, key) };
        assert.equal(await store.commit(KEY, commit), "conflict");
      }
      assert.equal((await readAll(store, KEY)).version, 0);
    },
  },
  {
    name: "commit: a row that it drops cannot be put again by it",
    run: async (store) => {
      await createSession(store, KEY, { put: rowsOf("run/1", "snapshot/1") });
      const before = await readAll(store, KEY);
      for (const key of ["run/1", "snapshot/1"]) {
        for (const drop of ["all", [[key, key]]] as const) {
          const commit = { expect: 1, record: headRecord({ rev: 1 }), put: rowsOf(key), drop };
          assert.equal(await store.commit(KEY, commit), "conflict");
        }
      }
      assert.deepEqual(await readAll(store, KEY), before);
    },
  },
  {
    name: "commit: drops the ranges, both ends included, and nothing else",
    run: async (store) => {
      const other = keyOf("session-2");
      const put = rowsOf(
        "event/1/000001",
        "event/1/000002",
        "event/1/000003",
        "event/10/000001",
        "run/1",
        "snapshot/1",
        "snapshot/2",
      );
      await createSession(store, KEY, { put });
      await createSession(store, other, { put });
      const drop = [
        ["event/1/000001", "event/1/000002"],
        ["snapshot/1", "snapshot/1"],
        ["step/", "step/~"],
      ] as const;
      assert.equal(await store.commit(KEY, { expect: 1, record: headRecord(), drop }), "ok");
      assert.deepEqual(await keysIn(store, KEY), [
        "event/1/000003",
        "event/10/000001",
        "run/1",
        "snapshot/2",
      ]);
      assert.equal((await keysIn(store, other)).length, put.length);
    },
  },
  {
    name: "commit: a range to drop may reach over several kinds of rows",
    run: async (store) => {
      await createSession(store, KEY, {
        put: rowsOf("delta/000000/000000", "event/1/000001", "run/1", "snapshot/1"),
      });
      const drop = [["delta/000000/000000", "run/1"]] as const;
      assert.equal(await store.commit(KEY, { expect: 1, record: headRecord(), drop }), "ok");
      assert.deepEqual(await keysIn(store, KEY), ["snapshot/1"]);
    },
  },
  {
    name: "commit: rows are dropped before others are put, so that those stay",
    run: async (store) => {
      const other = keyOf("session-2");
      for (const key of [KEY, other])
        await createSession(store, key, { put: rowsOf("run/1", "snapshot/1") });
      const all = {
        expect: 1,
        record: headRecord(),
        put: rowsOf("run/2", "snapshot/2"),
        drop: "all",
      } as const;
      assert.equal(await store.commit(KEY, all), "ok");
      assert.deepEqual(await keysIn(store, KEY), ["run/2", "snapshot/2"]);
      const range = {
        expect: 2,
        record: headRecord(),
        put: rowsOf("run/3"),
        drop: [["run/", "run/~"]],
      } as const;
      assert.equal(await store.commit(KEY, range), "ok");
      assert.deepEqual(await keysIn(store, KEY), ["run/3", "snapshot/2"]);
      assert.deepEqual(await keysIn(store, other), ["run/1", "snapshot/1"]);
    },
  },
  {
    name: "commit: no record forgets the session with all its rows",
    run: async (store) => {
      const record = headRecord({ dueAt: 1, sweepAt: 1 });
      await createSession(store, KEY, { record, put: rowsOf("run/1", "snapshot/1") });
      assert.equal(await store.commit(KEY, { expect: 2, record: null }), "conflict");
      assert.equal((await readAll(store, KEY)).version, 1);
      assert.equal(await store.commit(KEY, { expect: 1, record: null }), "ok");
      assert.deepEqual(await readAll(store, KEY), {
        version: 0,
        record: null,
        rows: new Map(),
        tails: new Map(),
      });
      assert.deepEqual((await store.list(KEY.scope, { limit: 10 })).sessions, []);
      assert.deepEqual(await store.due({ kind: "work", limit: 10 }), []);
      assert.deepEqual(await store.due({ kind: "sweep", limit: 10 }), []);
      await createSession(store, KEY, { put: rowsOf("run/1") });
      assert.deepEqual(await keysIn(store, KEY), ["run/1"]);
    },
  },
];
