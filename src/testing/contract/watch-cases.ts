import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { SessionKey, SessionStore } from "../../ledger/index.ts";
import { activeTurn, headRecord } from "../head-record.ts";
import type { ContractCase } from "./contract-case.ts";
import { createSession, keyOf, rowsOf } from "./contract-session.ts";

const KEY = keyOf("session");
const FENCE = { snapshotId: "snapshot-1", epoch: 1 };
const PATIENCE_MS = 5000;

/** Counts the wake-ups of a session until the signal aborts. */
class Observer {
  wakeUps = 0;
  readonly ended: Promise<void>;

  constructor(store: SessionStore, key: SessionKey, signal: AbortSignal) {
    this.ended = this.#watch(store.watch(key, { signal }));
  }

  /** Asserts that the work wakes the observer, after a while in which earlier wake-ups may still come. */
  async assertWokenBy(work: () => Promise<unknown>): Promise<void> {
    await setTimeout(150);
    const before = this.wakeUps;
    await work();
    for (let waited = 0; this.wakeUps === before; waited += 10) {
      assert.ok(waited < PATIENCE_MS, "nobody was woken");
      await setTimeout(10);
    }
  }

  async #watch(changes: AsyncIterable<void>): Promise<void> {
    for await (const change of changes) {
      assert.equal(change, undefined);
      this.wakeUps += 1;
    }
  }
}

async function observe(
  store: SessionStore,
  work: (observer: Observer) => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  const observer = new Observer(store, KEY, controller.signal);
  try {
    await work(observer);
  } finally {
    controller.abort();
    await observer.ended;
  }
}

export const watchCases: readonly ContractCase[] = [
  {
    name: "watch: wakes for commits and for appends",
    run: async (store) =>
      observe(store, async (observer) => {
        const record = headRecord({ active: activeTurn() });
        await observer.assertWokenBy(() => createSession(store, KEY, { record }));
        await observer.assertWokenBy(() =>
          store.append([{ key: KEY, fence: FENCE, rows: rowsOf("event/1/000001") }]),
        );
        await observer.assertWokenBy(() => store.commit(KEY, { expect: 1, record }));
        await observer.assertWokenBy(() => store.commit(KEY, { expect: 2, record: null }));
      }),
  },
  {
    name: "watch: wakes for what happens between the start of the iteration and the first wait",
    run: async (store) => {
      const controller = new AbortController();
      const changes = store.watch(KEY, { signal: controller.signal })[Symbol.asyncIterator]();
      await createSession(store, KEY);
      assert.deepEqual(await changes.next(), { done: false, value: undefined });
      controller.abort();
      assert.equal((await changes.next()).done, true);
    },
  },
  {
    name: "watch: wakes for what another store on the same data commits and appends",
    needs: "sharing",
    run: async (store, { reopen }) => {
      const other = await reopen();
      await observe(store, async (observer) => {
        const record = headRecord({ active: activeTurn() });
        await observer.assertWokenBy(() => createSession(other, KEY, { record }));
        await observer.assertWokenBy(() =>
          other.append([{ key: KEY, fence: FENCE, rows: rowsOf("event/1/000001") }]),
        );
      });
    },
  },
  {
    name: "watch: wakes each of several watchers",
    run: async (store) =>
      observe(store, async (one) =>
        observe(store, async (other) => {
          await one.assertWokenBy(() => other.assertWokenBy(() => createSession(store, KEY)));
        }),
      ),
  },
  {
    name: "watch: ends when the signal aborts, also when it has before",
    run: async (store) => {
      const controller = new AbortController();
      const observer = new Observer(store, KEY, controller.signal);
      await setTimeout(20);
      controller.abort(new Error("the reader left"));
      await observer.ended;
      await new Observer(store, KEY, controller.signal).ended;
    },
  },
  {
    name: "watch: ends when the reader breaks off",
    run: async (store) => {
      const { signal } = new AbortController();
      const changes = store.watch(KEY, { signal })[Symbol.asyncIterator]();
      await createSession(store, KEY);
      await changes.next();
      await changes.return?.();
      assert.equal((await changes.next()).done, true);
    },
  },
];
