import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { SessionStore } from "../../ledger/index.ts";
import { activeTurn, headRecord } from "../head-record.ts";
import type { ContractCase } from "./contract-case.ts";
import { createSession, keyOf, keysIn, readAll, rejectsWith, rowsOf } from "./contract-session.ts";

const KEY = keyOf("session");
const FENCE = { snapshotId: "snapshot-1", epoch: 1 };

// Every call that must reject on a closed store. A new method without an entry does not compile.
const CALLS: Readonly<
  Record<
    // `survey` need not be there, and has cases of its own.
    Exclude<keyof SessionStore, "capabilities" | "schema" | "clock" | "survey" | "close">,
    (store: SessionStore) => Promise<unknown>
  >
> = {
  open: async (store) => store.open(),
  load: async (store) => store.load(KEY),
  commit: async (store) => store.commit(KEY, { expect: 1, record: headRecord() }),
  append: async (store) =>
    store.append([{ key: KEY, fence: FENCE, rows: rowsOf("event/1/000001") }]),
  range: async (store) => store.range(KEY, { range: ["a", "b"], limit: 1, maxBytes: 1 }),
  due: async (store) => store.due({ kind: "work", limit: 1 }),
  watch: async (store) => {
    const { signal } = new AbortController();
    await store.watch(KEY, { signal })[Symbol.asyncIterator]().next();
  },
  list: async (store) => store.list(KEY.scope, { limit: 1 }),
  sweep: async (store) => store.sweep(),
};

export const lifecycleCases: readonly ContractCase[] = [
  {
    name: "life: a store may be opened and closed twice",
    run: async (store) => {
      await store.open();
      await createSession(store, KEY);
      await store.open();
      assert.equal((await store.load(KEY)).version, 1);
      await store.close();
      await store.close();
    },
  },
  ...Object.entries(CALLS).map(([method, call]) => ({
    name: `life: ${method} rejects once the store is closed`,
    run: async (store: SessionStore): Promise<void> => {
      await createSession(store, KEY);
      await store.close();
      await rejectsWith(() => call(store), {
        status: "FAILED_PRECONDITION",
        reason: "STORE_CLOSED",
      });
    },
  })),
  {
    name: "life: closing waits for what was begun and ends what watches",
    run: async (store) => {
      await createSession(store, KEY);
      const watched = (async () => {
        for await (const change of store.watch(KEY, { signal: new AbortController().signal }))
          assert.equal(change, undefined);
      })();
      await setTimeout(10);
      const written = store.commit(KEY, { expect: 1, record: headRecord({ rev: 1 }) });
      await store.close();
      assert.equal(await written, "ok");
      await watched;
    },
  },
  {
    name: "life: the store's clock moves on",
    run: async (store) => {
      const { now } = await store.load(KEY);
      await setTimeout(20);
      assert.ok((await store.load(KEY)).now > now);
    },
  },
  {
    name: "life: sweeping changes nothing that can be read",
    run: async (store) => {
      await createSession(store, KEY, { put: rowsOf("run/1", "snapshot/1") });
      const put = Array.from({ length: 200 }, (_, index) => ({
        key: `event/1/${String(index).padStart(6, "0")}`,
        value: JSON.stringify("x".repeat(2000)),
      }));
      await store.commit(KEY, { expect: 1, record: headRecord(), put });
      await store.commit(KEY, { expect: 2, record: headRecord(), drop: [["event/", "event/~"]] });
      const before = await readAll(store, KEY);
      await store.sweep();
      assert.deepEqual(await readAll(store, KEY), before);
      assert.deepEqual(await keysIn(store, KEY), ["run/1", "snapshot/1"]);
    },
  },
  {
    name: "life: a store says what it promises",
    run: async ({ capabilities }) => {
      assert.ok(
        ["none", "process-crash", "power-loss", "replicated"].includes(capabilities.durability),
      );
      assert.equal(typeof capabilities.multiProcess, "boolean");
      assert.ok(capabilities.maxRowBytes >= 1024 * 1024);
    },
  },
  {
    name: "life: what was acknowledged is there when the store is opened again",
    needs: "durability",
    run: async (store, { reopen }) => {
      const keys = Array.from({ length: 20 }, (_, index) => keyOf(`session-${index}`));
      const record = headRecord({ active: activeTurn(), dueAt: 1, sweepAt: 1 });
      await Promise.all(
        keys.map((key) =>
          createSession(store, key, { record, put: rowsOf("run/1", "snapshot/1") }),
        ),
      );
      await store.append(
        keys.map((key) => ({ key, fence: FENCE, rows: rowsOf("event/1/000001") })),
      );
      const before = await Promise.all(keys.map((key) => readAll(store, key)));
      await store.close();
      const reopened = await reopen();
      assert.deepEqual(await Promise.all(keys.map((key) => readAll(reopened, key))), before);
      assert.equal((await reopened.list(KEY.scope, { limit: 100 })).sessions.length, 20);
      assert.equal((await reopened.due({ kind: "work", limit: 100 })).length, 20);
      assert.equal((await reopened.due({ kind: "sweep", limit: 100 })).length, 20);
      assert.equal(await reopened.commit(keys[0] ?? KEY, { expect: 1, record }), "ok");
    },
  },
  {
    name: "life: what one store has written the other one sees at once",
    needs: "sharing",
    run: async (store, { reopen }) => {
      const other = await reopen();
      await createSession(store, KEY, { put: rowsOf("run/1") });
      assert.deepEqual(await readAll(other, KEY), await readAll(store, KEY));
      assert.equal(
        await other.commit(KEY, { expect: 1, record: headRecord(), put: rowsOf("snapshot/1") }),
        "ok",
      );
      assert.deepEqual(await readAll(store, KEY), await readAll(other, KEY));
      assert.equal(await store.commit(KEY, { expect: 1, record: headRecord() }), "conflict");
    },
  },
];
