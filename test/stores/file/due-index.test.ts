import { mkdirSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { openFileStore } from "turnkeep/stores/file";
import { headRecord } from "turnkeep/testing";
import { expect, it } from "vitest";
import { filesUnder } from "./folder-contents.ts";
import { keyOf } from "./session-keys.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const KEY = keyOf("session");
const WORK = { kind: "work", limit: 10 } as const;

function loseMarks(folder: string): void {
  rmSync(join(folder, "due"), { recursive: true });
  mkdirSync(join(folder, "due"));
}

it("finds what is due although a power cut lost the marks, in a new process or after a sweep", async () => {
  const folder = temporaryFolder();
  const store = await openFileStore(folder);
  await store.commit(KEY, { expect: 0, record: headRecord({ dueAt: 1, sweepAt: 2 }) });
  loseMarks(folder);
  expect(await store.due(WORK)).toEqual([KEY]);
  expect(await store.due({ ...WORK, kind: "sweep" })).toEqual([KEY]);
  loseMarks(folder);
  expect(await store.due(WORK)).toEqual([]);
  await store.sweep();
  expect(await store.due(WORK)).toEqual([KEY]);
  await store.close();
});

it("takes marks away that do not hold, but not while a commit may be on its way to make them true", async () => {
  const folder = temporaryFolder();
  const store = await openFileStore(folder);
  await store.commit(KEY, { expect: 0, record: headRecord({ dueAt: 1 }) });
  await store.commit(KEY, { expect: 1, record: headRecord({ dueAt: null }) });
  const marks = (): readonly string[] => filesUnder(join(folder, "due"));
  expect(await store.due(WORK)).toEqual([]);
  expect(marks()).toHaveLength(1);
  for (const mark of marks()) utimesSync(mark, 1, 1);
  // Made anew by a commit, a mark is young again.
  await store.commit(KEY, { expect: 2, record: headRecord({ dueAt: 2 }) });
  await store.commit(KEY, { expect: 3, record: headRecord({ dueAt: null }) });
  await store.due(WORK);
  expect(marks()).toHaveLength(1);
  for (const mark of marks()) utimesSync(mark, 1, 1);
  await store.due(WORK);
  expect(readdirSync(join(folder, "due", "work"))).toEqual([]);
  await store.close();
});

it("looks only at sessions that have a mark in a minute that has come", async () => {
  const folder = temporaryFolder();
  const store = await openFileStore(folder);
  const { now } = await store.load(KEY);
  for (let index = 0; index < 30; index += 1) {
    const dueAt = index < 3 ? 1000 * (3 - index) : now + 3_600_000;
    await store.commit(keyOf(`session-${index}`), { expect: 0, record: headRecord({ dueAt }) });
  }
  const found = await store.due(WORK);
  expect(found.map((key) => key.sessionId)).toEqual(["session-2", "session-1", "session-0"]);
  const minutes = readdirSync(join(folder, "due", "work")).toSorted();
  expect(minutes).toHaveLength(2);
  await store.close();
});
