import { getEventListeners } from "node:events";
import { MemoryStore } from "turnkeep/stores/memory";
import { headRecord } from "turnkeep/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createScope, createSessionKey } from "../../../src/ledger/index.ts";

const KEY = createSessionKey(createScope("tenant"), "agent", "session");

const someKey = fc
  .integer({ min: 0, max: 3000 })
  .map((number) => `event/1/${String(number).padStart(6, "0")}`);
const someStep = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      put: fc.uniqueArray(someKey, { minLength: 1, maxLength: 700, size: "max" }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ drop: fc.tuple(someKey, someKey) }) },
);

it("keeps rows in order whatever is put and dropped", async () => {
  const property = fc.asyncProperty(
    fc.array(someStep, { maxLength: 12 }),
    fc.tuple(someKey, someKey),
    async (steps, range) => {
      const store = new MemoryStore();
      const model = new Set<string>();
      await store.commit(KEY, { expect: 0, record: headRecord() });
      for (const [index, step] of steps.entries()) {
        const put =
          "put" in step
            ? step.put.filter((key) => !model.has(key)).map((key) => ({ key, value: key }))
            : [];
        const drop = "drop" in step ? [step.drop] : [];
        for (const key of model)
          if (drop.some(([from, to]) => key >= from && key <= to)) model.delete(key);
        for (const { key } of put) model.add(key);
        expect(
          await store.commit(KEY, { expect: index + 1, record: headRecord(), put, drop }),
        ).toBe("ok");
      }
      const read = async (from: string, to: string): Promise<readonly string[]> => {
        const rows = await store.range(KEY, { range: [from, to], limit: 10_000, maxBytes: 1e9 });
        return rows.map((row) => row.key);
      };
      const keys = [...model].toSorted();
      expect(await read("!", "~")).toEqual(keys);
      expect(await read(...range)).toEqual(
        keys.filter((key) => key >= range[0] && key <= range[1]),
      );
      const { tails } = await store.load(KEY, { tails: [range[0].slice(0, -1)] });
      const last = keys.findLast((key) => key.startsWith(range[0].slice(0, -1)));
      expect(tails.get(range[0].slice(0, -1))?.key).toBe(last);
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

it("leaves no listener behind, however a watcher ends", async () => {
  const store = new MemoryStore();
  const controller = new AbortController();
  const { signal } = controller;
  for await (const change of store.watch(KEY, { signal })) {
    expect(change).toBe(undefined);
    break;
  }
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  const changes = store.watch(KEY, { signal })[Symbol.asyncIterator]();
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  controller.abort();
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  await changes.next();
  store.watch(KEY, { signal })[Symbol.asyncIterator]();
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

it("counts the bytes it keeps", async () => {
  const store = new MemoryStore();
  await store.commit(KEY, { expect: 0, record: headRecord() });
  const before = store.storedBytes();
  await store.commit(KEY, {
    expect: 1,
    record: headRecord(),
    put: [{ key: "run/1", value: '"ü"' }],
  });
  expect(store.storedBytes() - before).toBe(9);
});
