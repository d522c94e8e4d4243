import assert from "node:assert/strict";
import type { DueQuery, SessionStore } from "../../ledger/index.ts";
import { headRecord } from "../head-record.ts";
import type { ContractCase } from "./contract-case.ts";
import { createSession, keyOf, rejectsWith } from "./contract-session.ts";

const KINDS = [
  { kind: "work", field: "dueAt" },
  { kind: "sweep", field: "sweepAt" },
] as const;

async function idsDue(store: SessionStore, query: Partial<DueQuery>): Promise<readonly string[]> {
  const keys = await store.due({ kind: "work", limit: 100, ...query });
  return keys.map((key) => key.sessionId);
}

/** The same promises for both kinds of due time. */
const casesOfKind = ({ kind, field }: (typeof KINDS)[number]): readonly ContractCase[] => [
  {
    name: `due: ${kind} that is due by the store's clock is found, longest due first`,
    run: async (store) => {
      const { now } = await store.load(keyOf("none"));
      const times = {
        second: now - 2000,
        none: null,
        later: now + 3_600_000,
        first: now - 3000,
        third: now - 1000,
        zero: 0,
      };
      for (const [id, time] of Object.entries(times)) {
        await createSession(store, keyOf(id), { record: headRecord({ [field]: time }) });
      }
      assert.deepEqual(await idsDue(store, { kind }), ["zero", "first", "second", "third"]);
      assert.deepEqual(await idsDue(store, { kind, limit: 2 }), ["zero", "first"]);
      assert.deepEqual(await idsDue(store, { kind: kind === "work" ? "sweep" : "work" }), []);
    },
  },
  {
    name: `due: ${kind} is no longer found once its time is moved or cleared`,
    run: async (store) => {
      const { now } = await store.load(keyOf("none"));
      for (const id of ["cleared", "moved", "stays"]) {
        await createSession(store, keyOf(id), { record: headRecord({ [field]: now - 10 }) });
      }
      await store.commit(keyOf("cleared"), { expect: 1, record: headRecord({ [field]: null }) });
      await store.commit(keyOf("moved"), {
        expect: 1,
        record: headRecord({ [field]: now + 3_600_000 }),
      });
      assert.deepEqual(await idsDue(store, { kind }), ["stays"]);
      await store.commit(keyOf("moved"), { expect: 2, record: headRecord({ [field]: now - 20 }) });
      assert.deepEqual(await idsDue(store, { kind }), ["moved", "stays"]);
    },
  },
  {
    name: `due: ${kind} only of the agents asked for`,
    run: async (store) => {
      for (const [index, agent] of ["one", "two", "three", "it's"].entries()) {
        const record = headRecord({ [field]: index + 1 });
        await createSession(store, keyOf(`of ${agent}`, { agent }), { record });
      }
      assert.deepEqual(await idsDue(store, { kind, agents: ["three", "one", "it's", "four"] }), [
        "of one",
        "of three",
        "of it's",
      ]);
      assert.deepEqual(await idsDue(store, { kind, agents: ["three", "one"], limit: 1 }), [
        "of one",
      ]);
      assert.deepEqual(await idsDue(store, { kind, agents: [] }), []);
    },
  },
];

export const dueCases: readonly ContractCase[] = [
  ...KINDS.flatMap(casesOfKind),
  {
    name: "due: finds whole keys that work, of all tenants",
    run: async (store) => {
      const keys = ["one", "two"].map((tenant) => keyOf("session", { tenant }));
      for (const [index, key] of keys.entries()) {
        await createSession(store, key, { record: headRecord({ rev: index, dueAt: index + 1 }) });
      }
      const found = await store.due({ kind: "work", limit: 10 });
      assert.deepEqual(found, keys);
      for (const [index, key] of found.entries())
        assert.equal((await store.load(key)).record?.rev, index);
    },
  },
  {
    name: "due: a deleted session may be due for sweeping",
    run: async (store) => {
      await createSession(store, keyOf("deleted"), {
        record: headRecord({ deletedAt: 1, sweepAt: 1 }),
      });
      assert.deepEqual(await idsDue(store, { kind: "sweep" }), ["deleted"]);
    },
  },
  {
    name: "due: refuses a limit that is no whole number from 1 up",
    run: async (store) => {
      for (const limit of [0, -1, 1.5, Number.NaN]) {
        await rejectsWith(() => idsDue(store, { limit }), { status: "INVALID_ARGUMENT" });
      }
    },
  },
];
