import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openFileStore } from "turnkeep/stores/file";
import { headRecord } from "turnkeep/testing";
import { expect, it, vi } from "vitest";
import { freeze } from "../../support/freeze.ts";
import { childrenOf } from "../../support/run-child.ts";
import { withoutIntervals } from "../../support/without-intervals.ts";
import { keyOf } from "./session-keys.ts";
import { addOne, namesAdded } from "./talk.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const { runChild, startChild } = childrenOf(new URL("child.ts", import.meta.url));

const KEY = keyOf("shared");

it("several processes on one folder lose no update", async () => {
  const folder = temporaryFolder();
  const codes = await Promise.all(
    Array.from({ length: 4 }, () => runChild("increment", folder, "60")),
  );
  expect(codes).toEqual([0, 0, 0, 0]);
  const store = await openFileStore(folder);
  const { rev, names } = await namesAdded(store, KEY);
  expect({ rev, names: names.length }).toEqual({ rev: 240, names: 240 });
  expect((await store.load(KEY)).version).toBe(240);
  await store.close();
  expect(readdirSync(join(folder, "temporary"))).toEqual([]);
});

it("four processes may open a new folder at once", async () => {
  const folder = temporaryFolder();
  const codes = await Promise.all(Array.from({ length: 4 }, () => runChild("open", folder)));
  expect(codes).toEqual(Array.from({ length: 4 }, () => 0));
});

it("writers killed at any moment lose nothing acknowledged and tear nothing", async () => {
  const folder = temporaryFolder();
  for (let round = 0; round < 5; round += 1) {
    const { child, progress } = startWriter(folder);
    await reached(() => progress.acknowledged > 0);
    const wanted = progress.acknowledged + round * 7;
    await reached(() => progress.acknowledged >= wanted);
    await killed(child);
    const store = await openFileStore(folder);
    const { rev, names } = await namesAdded(store, KEY);
    await store.close();
    expect(names.length).toBe(rev);
    expect(rev).toBeGreaterThanOrEqual(progress.acknowledged);
  }
});

it("what a writer leaves that was killed before its file had a name is swept once it is old", async () => {
  const folder = temporaryFolder();
  expect(await runChild("die", folder)).toBe("SIGKILL");
  expect(readdirSync(join(folder, "temporary"))).toHaveLength(1);
  await expectSwept(folder);
});

interface Progress {
  /** The last commit that was acknowledged to the writer. */
  acknowledged: number;
  /** How many were refused. */
  refused: number;
}

function startWriter(folder: string): {
  readonly child: ChildProcess;
  readonly progress: Progress;
} {
  const child = startChild("write", folder);
  const progress = { acknowledged: 0, refused: 0 };
  createInterface({ input: child.stdout! }).on("line", (line) => {
    if (line === "refused") progress.refused += 1;
    else progress.acknowledged = Number(line);
  });
  return { child, progress };
}

async function reached(holds: () => boolean): Promise<void> {
  await vi.waitUntil(holds, { timeout: 100_000, interval: 5 });
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = once(child, "close");
  child.kill("SIGKILL");
  await ended;
}

async function expectSwept(folder: string): Promise<void> {
  const temporary = join(folder, "temporary");
  const store = await openFileStore(folder);
  const before = await namesAdded(store, KEY);
  const young = readdirSync(temporary).filter((name) => !name.startsWith("dead-"));
  await store.sweep();
  // What is young may belong to somebody alive.
  expect(readdirSync(temporary)).toEqual(young);
  for (const name of young) utimesSync(join(temporary, name), 1, 1);
  await store.sweep();
  expect(readdirSync(temporary)).toEqual([]);
  expect(await namesAdded(store, KEY)).toEqual(before);
  await store.close();
}

it("a process that was stopped while another took the session over writes nothing of its own when it goes on", async () => {
  const folder = temporaryFolder();
  const { child, progress } = startWriter(folder);
  await reached(() => progress.acknowledged > 5);
  await freeze(child);
  const store = await openFileStore(folder);
  for (const name of Array.from({ length: 70 }, (_, index) => `mine-${index}`))
    await addOne(store, KEY, name);
  await store.sweep();
  const { names } = await namesAdded(store, KEY);
  child.kill("SIGCONT");
  // It expects its own version at every commit, so none of them is written any more.
  await reached(() => progress.refused > 5);
  await killed(child);
  const after = await namesAdded(store, KEY);
  expect(after.names.filter((name) => !names.includes(name))).toEqual([]);
  expect(after.rev).toBe(names.length);
  await store.close();
});

it("finds what is due and listed, and wakes by what the system reports, whoever wrote it", async () => {
  withoutIntervals();
  const folder = temporaryFolder();
  const [mine, other] = [await openFileStore(folder), await openFileStore(folder)];
  expect(await mine.due({ kind: "work", limit: 10 })).toEqual([]);
  await other.commit(KEY, { expect: 0, record: headRecord({ dueAt: 5 }) });
  expect(await mine.due({ kind: "work", limit: 10 })).toEqual([KEY]);
  expect((await mine.list(KEY.scope, { limit: 10 })).sessions).toHaveLength(1);
  const controller = new AbortController();
  const changes = mine.watch(KEY, { signal: controller.signal })[Symbol.asyncIterator]();
  await changes.next();
  await other.commit(KEY, { expect: 1, record: headRecord() });
  await changes.next();
  controller.abort();
  expect(await mine.due({ kind: "work", limit: 10 })).toEqual([]);
  await mine.close();
  await other.close();
});
