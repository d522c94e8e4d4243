import assert from "node:assert/strict";
import { createScope, type ListQuery, type SessionStore } from "../../ledger/index.ts";
import { activeTurn, headRecord } from "../head-record.ts";
import type { ContractCase } from "./contract-case.ts";
import { createSession, keyOf, rejectsWith } from "./contract-session.ts";

const SCOPE = createScope("tenant");

async function idsListed(
  store: SessionStore,
  query: Partial<ListQuery> = {},
): Promise<readonly string[]> {
  const { sessions } = await store.list(SCOPE, { limit: 100, ...query });
  return sessions.map(({ key }) => key.sessionId);
}

async function pagesOf(
  store: SessionStore,
  query: ListQuery,
): Promise<readonly (readonly string[])[]> {
  const { sessions, next } = await store.list(SCOPE, query);
  const page = sessions.map(({ key }) => `${key.agent}/${key.sessionId}`);
  return next === undefined ? [page] : [page, ...(await pagesOf(store, { ...query, after: next }))];
}

export const listCases: readonly ContractCase[] = [
  {
    name: "list: a scope without sessions has one empty page",
    run: async (store) =>
      assert.deepEqual(await store.list(SCOPE, { limit: 10 }), { sessions: [] }),
  },
  {
    name: "list: gives keys and records, last updated first",
    run: async (store) => {
      const records = [30, 10, 20].map((updatedAt) => headRecord({ updatedAt, rev: updatedAt }));
      for (const record of records)
        await createSession(store, keyOf(`session-${record.rev}`), { record });
      const { sessions, next } = await store.list(SCOPE, { limit: 10 });
      const [third, first, second] = records.map((record) => ({
        key: keyOf(`session-${record.rev}`),
        record,
      }));
      assert.deepEqual(sessions, [third, second, first]);
      assert.equal(next, undefined);
      await store.commit(keyOf("session-10"), { expect: 1, record: headRecord({ updatedAt: 40 }) });
      assert.deepEqual(await idsListed(store), ["session-10", "session-30", "session-20"]);
    },
  },
  {
    name: "list: pages miss nothing and repeat nothing, also among sessions updated at the same time",
    run: async (store) => {
      const names = Array.from({ length: 23 }, (_, index) => ({
        id: `ü ${index}`,
        agent: `agent-${index % 2}`,
        updatedAt: 100 + (index % 3),
      }));
      await Promise.all(
        names.map(({ id, agent, updatedAt }) =>
          createSession(store, keyOf(id, { agent }), { record: headRecord({ updatedAt }) }),
        ),
      );
      const [everything] = await pagesOf(store, { limit: 100 });
      assert.equal(new Set(everything).size, 23);
      for (const limit of [1, 2, 5, 22, 23]) {
        const pages = await pagesOf(store, { limit });
        assert.deepEqual(pages.flat(), everything);
        assert.ok(pages.every((page) => page.length <= limit));
        assert.equal(pages.length, Math.ceil(23 / limit));
      }
    },
  },
  {
    name: "list: pages go on from a session that is gone meanwhile",
    run: async (store) => {
      for (const updatedAt of [1, 2, 3]) {
        await createSession(store, keyOf(`session-${updatedAt}`), {
          record: headRecord({ updatedAt }),
        });
      }
      const { next } = await store.list(SCOPE, { limit: 1 });
      assert.ok(next !== undefined);
      await store.commit(keyOf("session-3"), { expect: 1, record: null });
      assert.deepEqual(await idsListed(store, { after: next }), ["session-2", "session-1"]);
    },
  },
  {
    name: "list: only of the agent asked for, page by page",
    run: async (store) => {
      for (const updatedAt of [1, 2, 3, 4, 5]) {
        const agent = updatedAt % 2 === 0 ? "even" : "odd";
        await createSession(store, keyOf(`session-${updatedAt}`, { agent }), {
          record: headRecord({ updatedAt }),
        });
      }
      assert.deepEqual(await pagesOf(store, { agent: "odd", limit: 2 }), [
        ["odd/session-5", "odd/session-3"],
        ["odd/session-1"],
      ]);
      assert.deepEqual(await idsListed(store, { agent: "%" }), []);
    },
  },
  {
    name: "list: active are those with a turn running or queued, idle all others",
    run: async (store) => {
      const queue = [{ runId: "run-1", turn: 0, snapshotId: "snapshot-1", since: 1 }];
      const records = {
        both: headRecord({ updatedAt: 4, active: activeTurn(), queue }),
        running: headRecord({ updatedAt: 3, active: activeTurn() }),
        queued: headRecord({ updatedAt: 2, queue }),
        idle: headRecord({ updatedAt: 1 }),
      };
      for (const [id, record] of Object.entries(records))
        await createSession(store, keyOf(id), { record });
      assert.deepEqual(await idsListed(store, { activity: "active" }), [
        "both",
        "running",
        "queued",
      ]);
      assert.deepEqual(await idsListed(store, { activity: "idle" }), ["idle"]);
      assert.deepEqual(await pagesOf(store, { activity: "active", limit: 2 }), [
        ["agent/both", "agent/running"],
        ["agent/queued"],
      ]);
      await store.commit(keyOf("running"), { expect: 1, record: headRecord({ updatedAt: 9 }) });
      assert.deepEqual(await idsListed(store, { activity: "idle" }), ["running", "idle"]);
    },
  },
  {
    name: "list: leaves out deleted sessions",
    run: async (store) => {
      await createSession(store, keyOf("deleted"), { record: headRecord({ updatedAt: 2 }) });
      await createSession(store, keyOf("kept"), { record: headRecord({ updatedAt: 1 }) });
      await store.commit(keyOf("deleted"), {
        expect: 1,
        record: headRecord({ updatedAt: 3, deletedAt: 0 }),
      });
      assert.deepEqual(await idsListed(store), ["kept"]);
      assert.deepEqual(await idsListed(store, { activity: "idle" }), ["kept"]);
    },
  },
  {
    name: "list: refuses a cursor that it did not give",
    run: async (store) => {
      await createSession(store, keyOf("session"));
      for (const after of [
        "",
        "x",
        "!!!",
        "bnVsbA",
        "W10",
        "eyJhIjoxfQ",
        "WzEsMiwzXQ",
        "' or 1=1 --",
      ]) {
        await rejectsWith(() => idsListed(store, { after }), { status: "INVALID_ARGUMENT" });
      }
    },
  },
  {
    name: "list: refuses a limit that is no whole number from 1 up",
    run: async (store) => {
      for (const limit of [0, -1, 1.5, Number.NaN]) {
        await rejectsWith(() => idsListed(store, { limit }), { status: "INVALID_ARGUMENT" });
      }
    },
  },
];
