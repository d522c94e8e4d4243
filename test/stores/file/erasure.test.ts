import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openFileStore } from "turnkeep/stores/file";
import { headRecord } from "turnkeep/testing";
import { expect, it } from "vitest";
import { filesUnder } from "./folder-contents.ts";
import { keyOf } from "./session-keys.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const CANARY = "canary-bird";
const rowOf = (index: number): { key: string; value: string } => ({
  key: `snapshot/${String(index).padStart(6, "0")}`,
  value: JSON.stringify(`${CANARY} ${"x".repeat(300)}`),
});

function filesWithCanary(folder: string): readonly string[] {
  return filesUnder(folder).filter(
    (file) => readFileSync(file, "utf8").includes(CANARY) || file.includes(CANARY),
  );
}

it("leaves nothing of deleted and forgotten sessions once it was swept", async () => {
  const folder = temporaryFolder();
  const store = await openFileStore(folder);
  const other = await openFileStore(folder);
  // Of all lengths, so that some have been folded and some have not.
  const sessions = Array.from({ length: 100 }, (_, index) => ({
    key: keyOf(`session-${index}`),
    turns: 1 + ((index * 7) % 50),
  }));
  for (const { key, turns } of sessions) {
    for (let turn = 0; turn < turns; turn += 1) {
      const record = headRecord({ labels: [{ name: CANARY, snapshotId: "1" }], dueAt: 1 });
      await store.commit(key, { expect: turn, record, put: [rowOf(turn)] });
    }
  }
  expect(filesWithCanary(folder).length).toBeGreaterThan(100);
  for (const [index, { key, turns }] of sessions.entries()) {
    const record = index % 2 === 0 ? null : headRecord({ deletedAt: 1 });
    expect(await other.commit(key, { expect: turns, record, drop: "all" })).toBe("ok");
  }
  await other.sweep();
  expect(filesWithCanary(folder)).toEqual([]);
  for (const [index, { key }] of sessions.entries())
    expect((await store.load(key, { ranges: [["!", "~"]] })).rows.size, String(index)).toBe(0);
  // Of forgotten ones there is not even a name.
  expect(filesUnder(join(folder, "sessions")).length).toBe(50);
  await store.close();
  await other.close();
});

it("a late writer brings nothing of a forgotten session back, and the name can be used again", async () => {
  const folder = temporaryFolder();
  const [late, other] = [await openFileStore(folder), await openFileStore(folder)];
  const key = keyOf("session");
  await late.commit(key, { expect: 0, record: headRecord(), put: [rowOf(1)] });
  await other.commit(key, { expect: 1, record: null });
  await other.sweep();
  expect(await late.commit(key, { expect: 1, record: headRecord(), put: [rowOf(2)] })).toBe(
    "conflict",
  );
  expect(filesWithCanary(folder)).toEqual([]);
  expect(await other.commit(key, { expect: 0, record: headRecord({ rev: 7 }) })).toBe("ok");
  expect(await late.commit(key, { expect: 0, record: headRecord() })).toBe("conflict");
  const { version, record, rows } = await late.load(key, { ranges: [["!", "~"]] });
  expect([version, record?.rev, rows.size]).toEqual([1, 7, 0]);
  await late.close();
  await other.close();
});

it("takes away what was dropped from a session that lives on, when it is worth it", async () => {
  const folder = temporaryFolder();
  const store = await openFileStore(folder);
  const key = keyOf("session");
  for (let turn = 0; turn < 70; turn += 1)
    await store.commit(key, { expect: turn, record: headRecord(), put: [rowOf(turn)] });
  const put = [{ key: "run/1", value: '"stays"' }];
  const drop = [["snapshot/", "snapshot/~"]] as const;
  await store.commit(key, { expect: 70, record: headRecord(), put, drop });
  await store.sweep();
  expect(filesWithCanary(folder)).toEqual([]);
  expect((await store.load(key, { ranges: [["!", "~"]] })).rows.size).toBe(1);
  await store.close();
});
