import type * as Timers from "node:timers";
import { openFileStore } from "turnkeep/stores/file";
import { beforeEach, expect, test, vi } from "vitest";
import { createScope, createSessionKey } from "../../../src/ledger/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

// Timers that run when the test says so.
const intervals: { readonly call: () => void; readonly milliseconds: number }[] = [];
vi.mock("node:timers", async (original) => ({
  ...(await original<typeof Timers>()),
  setInterval: (call: () => void, milliseconds: number) => {
    intervals.push({ call, milliseconds });
    return { unref: () => ({}) };
  },
  clearInterval: () => {},
}));

const KEY = createSessionKey(createScope("t"), "agent", "s");

beforeEach(() => {
  intervals.length = 0;
});

async function watched(options: { readonly pollIntervalMs?: number }): Promise<void> {
  const store = await openFileStore(temporaryFolder(), options);
  const stop = new AbortController();
  const changes = store.watch(KEY, { signal: stop.signal })[Symbol.asyncIterator]();
  const next = changes.next();
  stop.abort();
  await next.catch(() => {});
  await store.close();
}

test("a file store looks for changes as often as it is told, once a second by default", async () => {
  await watched({});
  await watched({ pollIntervalMs: 50 });
  expect(intervals.map(({ milliseconds }) => milliseconds)).toEqual([1000, 50]);
});

test("a file store that is told 0 does not look by itself", async () => {
  await watched({ pollIntervalMs: 0 });
  expect(intervals).toEqual([]);
});

test.each([-1, 1.5, Number.NaN])("a file store refuses to look every %s ms", async (interval) => {
  const folder = temporaryFolder();
  await expect(openFileStore(folder, { pollIntervalMs: interval })).rejects.toMatchObject({
    status: "INVALID_ARGUMENT",
    message: expect.stringContaining("pollIntervalMs"),
  });
});
