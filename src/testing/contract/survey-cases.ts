import assert from "node:assert/strict";
import { headRecord } from "../head-record.ts";
import type { ContractCase } from "./contract-case.ts";
import { createSession, keyOf, rejectsWith } from "./contract-session.ts";

/** For stores that have `survey`; one without passes. */
export const surveyCases: readonly ContractCase[] = [
  {
    name: "survey: names every session of every tenant that is not deleted, once",
    run: async (store) => {
      const names: (readonly [string, string])[] = [];
      for (const tenant of ["a", "b:c", "ü/%"]) {
        for (const sessionId of ["one", "two:2", "drei/%"]) names.push([tenant, sessionId]);
      }
      for (const [tenant, sessionId] of names)
        await createSession(store, keyOf(sessionId, { tenant }));
      await createSession(store, keyOf("gone"), { record: headRecord({ deletedAt: 1 }) });
      if (store.survey === undefined) return;
      const found: string[] = [];
      for await (const { key } of store.survey()) {
        found.push(JSON.stringify([key?.scope.tenant, key?.sessionId]));
      }
      assert.deepEqual(found.toSorted(), names.map((name) => JSON.stringify(name)).toSorted());
    },
  },
  {
    name: "survey: names sessions beyond any page",
    run: async (store) => {
      const count = 120;
      const numbers = Array.from({ length: count }, (_, number) => number);
      await Promise.all(numbers.map((number) => createSession(store, keyOf(`session-${number}`))));
      if (store.survey === undefined) return;
      const found = new Set<string | undefined>();
      for await (const { key } of store.survey()) found.add(key?.sessionId);
      assert.equal(found.size, count);
    },
  },
  {
    name: "survey: rejects once the store is closed",
    run: async (store) => {
      const survey = store.survey?.bind(store);
      await store.close();
      if (survey === undefined) return;
      const reason = "STORE_CLOSED";
      await rejectsWith(async () => void (await survey()[Symbol.asyncIterator]().next()), {
        status: "FAILED_PRECONDITION",
        reason,
      });
    },
  },
];
