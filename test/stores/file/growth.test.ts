import { join } from "node:path";
import { openFileStore } from "turnkeep/stores/file";
import { MemoryStore } from "turnkeep/stores/memory";
import { activeTurn, headRecord } from "turnkeep/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { SessionStore } from "../../../src/ledger/index.ts";
import { bytesUnder, filesUnder } from "./folder-contents.ts";
import { keyOf } from "./session-keys.ts";
import { rowsOfTurn } from "./talk.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { watchedDisk } from "./watched-disk.ts";

const KEY = keyOf("session");
const TURNS = 1000;
const TURN_BYTES = 2048;

it("costs the turn and not the history: what is written, read and kept for 1,000 turns of 2 KB", async () => {
  const folder = temporaryFolder();
  let [written, reads] = [0, 0];
  const disk = watchedDisk((call, _, bytes = 0) => {
    written += bytes;
    if (call === "read") reads += 1;
  });
  const store = await openFileStore(folder, { disk });
  let given = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const put = rowsOfTurn(turn);
    given += put.reduce((sum, row) => sum + row.value.length, 0);
    const record = headRecord({ rev: turn, updatedAt: turn });
    await store.commit(KEY, { expect: turn, record, put });
  }
  await store.close();
  // Each byte is moved a logarithmic number of times, and only folding reads anything.
  expect(written / given).toBeLessThan(6);
  expect(reads).toBeLessThan(TURNS / 4);
  const reader = await openFileStore(folder);
  expect(filesUnder(join(folder, "sessions")).length).toBeLessThan(100);
  const drop = [
    ["event/", "event/~"],
    ["input/", "input/~"],
  ] as const;
  await reader.commit(KEY, { expect: TURNS, record: headRecord(), drop });
  await reader.sweep();
  expect(bytesUnder(folder) / (TURNS * TURN_BYTES)).toBeLessThan(1.5);
  const { rows } = await reader.load(KEY, { ranges: [["!", "~"]] });
  expect(rows.size).toBe(2 * TURNS);
  await reader.close();
});

it("lists sessions by their first lines, and reads none again that did not change", async () => {
  const folder = temporaryFolder();
  const writer = await openFileStore(folder);
  const value = JSON.stringify("x".repeat(200_000));
  for (let index = 0; index < 20; index += 1) {
    const put = [{ key: "snapshot/1", value }];
    await writer.commit(keyOf(`session-${index}`), { expect: 0, record: headRecord(), put });
  }
  let reads = 0;
  const disk = watchedDisk((call) => {
    if (call === "read") reads += 1;
  });
  const wholes: string[] = [];
  const counting = {
    ...disk,
    read: (path: string, maxBytes?: number) => {
      if (maxBytes === undefined && path.includes("sessions")) wholes.push(path);
      return disk.read(path, maxBytes);
    },
  };
  const store = await openFileStore(folder, { disk: counting });
  expect((await store.list(KEY.scope, { limit: 100 })).sessions).toHaveLength(20);
  expect(wholes).toEqual([]);
  const before = reads;
  await store.list(KEY.scope, { limit: 100 });
  expect(reads).toBe(before);
  await writer.commit(keyOf("session-3"), { expect: 1, record: headRecord({ rev: 9 }) });
  const { sessions } = await store.list(KEY.scope, { limit: 100 });
  expect(sessions.filter(({ record }) => record.rev === 9)).toHaveLength(1);
  expect(reads - before).toBeLessThanOrEqual(2);
  await store.close();
  await writer.close();
});

const someKey = fc.integer({ min: 0, max: 60 }).map((index) => `event/1/${index + 100}`);
const someStep = fc.oneof(
  { weight: 8, arbitrary: fc.record({ put: fc.uniqueArray(someKey, { maxLength: 5 }) }) },
  { weight: 4, arbitrary: fc.record({ append: fc.array(someKey, { maxLength: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ drop: fc.tuple(someKey, someKey) }) },
  { weight: 1, arbitrary: fc.constant({ forget: true }) },
  { weight: 1, arbitrary: fc.constant({ sweep: true }) },
);
type SomeStep = typeof someStep extends fc.Arbitrary<infer Step> ? Step : never;

async function take(store: SessionStore, step: SomeStep): Promise<unknown> {
  if ("sweep" in step) return store.sweep();
  const fence = { snapshotId: "snapshot-1", epoch: 1 };
  const rows = (keys: readonly string[]): { key: string; value: string }[] =>
    keys.map((key) => ({ key, value: JSON.stringify(key.repeat(20)) }));
  if ("append" in step) return store.append([{ key: KEY, fence, rows: rows(step.append) }]);
  const { version: expected } = await store.load(KEY);
  if ("forget" in step) return store.commit(KEY, { expect: expected, record: null });
  const record = headRecord({ rev: expected, active: activeTurn() });
  const change = "put" in step ? { put: rows(step.put) } : { drop: [step.drop] };
  return store.commit(KEY, { expect: expected, record, ...change });
}

it("says what the memory store says, whatever is written through whichever of two stores", async () => {
  const property = fc.asyncProperty(
    fc.array(fc.tuple(someStep, fc.nat({ max: 2 })), {
      minLength: 50,
      maxLength: 160,
      size: "max",
    }),
    async (steps) => {
      const folder = temporaryFolder();
      const model = new MemoryStore();
      // The third remembers nothing from one call to the next.
      const stores = await Promise.all(
        [{}, {}, { cacheBytes: 1 }].map((options) => openFileStore(folder, options)),
      );
      for (const [step, which] of steps) {
        const outcome = await take(stores[which] as SessionStore, step);
        expect(outcome).toEqual(await take(model, step));
      }
      const want = { ranges: [["!", "~"] as const], tails: ["event/1/"] };
      const { now: _, ...expected } = await model.load(KEY, want);
      for (const store of [...stores, await openFileStore(folder)]) {
        const { now: __, ...view } = await store.load(KEY, want);
        expect(view).toEqual(expected);
        await store.close();
      }
    },
  );
  await fc.assert(property, { numRuns: 20 });
});
