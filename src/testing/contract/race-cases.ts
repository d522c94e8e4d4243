import assert from "node:assert/strict";
import { activeTurn, headRecord } from "../head-record.ts";
import type { ContractCase } from "./contract-case.ts";
import { createSession, keyOf, readAll, rowsOf } from "./contract-session.ts";

const KEY = keyOf("session");

export const raceCases: readonly ContractCase[] = [
  {
    name: "commit: of 100 at once on one version exactly one is written",
    run: async (store) => {
      await createSession(store, KEY);
      for (const expect of [1, 2]) {
        const racers = Array.from({ length: 100 }, (_, rev) => rev);
        const outcomes = await Promise.all(
          racers.map((rev) =>
            store.commit(KEY, {
              expect,
              record: headRecord({ rev }),
              put: rowsOf(`run/${expect}-${rev}`),
            }),
          ),
        );
        assert.equal(outcomes.filter((outcome) => outcome === "ok").length, 1);
        const winner = outcomes.indexOf("ok");
        const { record, rows } = await readAll(store, KEY);
        assert.equal(record?.rev, winner);
        assert.equal(rows.size, expect);
        assert.ok(rows.has(`run/${expect}-${winner}`));
      }
    },
  },
  {
    name: "commit: of 100 at once that create a session exactly one is written",
    run: async (store) => {
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, rev) =>
          store.commit(KEY, { expect: 0, record: headRecord({ rev }) }),
        ),
      );
      assert.equal(outcomes.filter((outcome) => outcome === "ok").length, 1);
      assert.equal((await store.load(KEY)).record?.rev, outcomes.indexOf("ok"));
    },
  },
  {
    name: "commit: what a caller does to what it handed over changes nothing that is written",
    run: async (store) => {
      const chain: [string, string][] = [["a", "b"]];
      const put = [...rowsOf("run/1")];
      const drop: [string, string][] = [];
      const record = headRecord({ chain, active: activeTurn() });
      const written = store.commit(KEY, { expect: 0, record, put, drop });
      chain.push(["c", "d"]);
      put.push(...rowsOf("run/2"));
      drop.push(["!", "~"]);
      assert.equal(await written, "ok");
      const rows = [...rowsOf("event/1/000001")];
      const fence = { snapshotId: "snapshot-1", epoch: 1 };
      const appended = store.append([{ key: KEY, fence, rows }]);
      rows.push(...rowsOf("event/1/000002"));
      assert.deepEqual(await appended, ["ok"]);
      const view = await readAll(store, KEY);
      assert.deepEqual(view.record?.chain, [["a", "b"]]);
      assert.deepEqual([...view.rows.keys()], ["event/1/000001", "run/1"]);
    },
  },
  {
    name: "commit: a conflict hurts none of those made at the same time",
    run: async (store) => {
      const keys = Array.from({ length: 30 }, (_, index) => keyOf(`session-${index}`));
      const outcomes = await Promise.all(
        keys.map((key, index) => {
          const put = index % 3 === 0 ? rowsOf("run/1", "run/1") : rowsOf("run/1", "snapshot/1");
          return store.commit(key, { expect: 0, record: headRecord(), put });
        }),
      );
      for (const [index, key] of keys.entries()) {
        const isConflict = index % 3 === 0;
        assert.equal(outcomes[index], isConflict ? "conflict" : "ok");
        assert.equal((await readAll(store, key)).rows.size, isConflict ? 0 : 2);
      }
    },
  },
  {
    name: "commit: two stores on the same data lose no update",
    needs: "sharing",
    run: async (store, { reopen }) => {
      const other = await reopen();
      await createSession(store, KEY);
      const addOne = async (writer: typeof store): Promise<void> => {
        const { version, record } = await writer.load(KEY);
        const next = headRecord({ rev: (record?.rev ?? 0) + 1 });
        const outcome = await writer.commit(KEY, { expect: version, record: next });
        if (outcome === "conflict") await addOne(writer);
      };
      for (let round = 0; round < 20; round += 1) {
        await Promise.all([addOne(store), addOne(other), addOne(store)]);
      }
      assert.equal((await other.load(KEY)).record?.rev, 60);
    },
  },
];
