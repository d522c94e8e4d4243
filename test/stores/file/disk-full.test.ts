import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openFileStore } from "turnkeep/stores/file";
import { activeTurn, headRecord } from "turnkeep/testing";
import { expect, it } from "vitest";
import type { Row } from "../../../src/ledger/index.ts";
import { withSmallDisk } from "../../support/small-disk.ts";
import { keyOf } from "./session-keys.ts";
import { addOne, namesAdded, numbered } from "./talk.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { systemError, watchedDisk } from "./watched-disk.ts";

const KEY = keyOf("session");
const FULL = { status: "UNAVAILABLE", reason: "STORAGE_FULL", retryable: true };

function temporaryIn(folder: string): readonly string[] {
  return readdirSync(join(folder, "temporary"));
}

it("says that the disk is full, loses nothing acknowledged, and goes on once there is space", async (context) => {
  await withSmallDisk(context, "2m", async (directory) => {
    const folder = join(directory, "store");
    const ballast = join(directory, "ballast");
    writeFileSync(ballast, Buffer.alloc(1024 * 1024));
    const store = await openFileStore(folder);
    const record = headRecord({ active: activeTurn() });
    expect(await store.commit(KEY, { expect: 0, record })).toBe("ok");
    const append = (index: number): Promise<unknown> => {
      const row: Row = {
        key: `event/1/${String(index).padStart(6, "0")}`,
        value: JSON.stringify("x".repeat(5000)),
      };
      const fence = { snapshotId: "snapshot-1", epoch: 1 };
      return store.append([{ key: KEY, fence, rows: [row] }]);
    };
    const acknowledged: number[] = [];
    const failures: unknown[] = [];
    for (let index = 0; failures.length < 5; index += 1) {
      await append(index).then(
        () => acknowledged.push(index),
        (error: unknown) => failures.push(error),
      );
    }
    for (const failure of failures) expect(failure).toMatchObject(FULL);
    const read = async (reader: typeof store): Promise<readonly number[]> => {
      const range = ["event/1/", "event/1/~"] as const;
      const rows = await reader.range(KEY, { range, limit: 100_000, maxBytes: 1e9 });
      return rows.map((row) => Number(row.key.slice("event/1/".length)));
    };
    expect(acknowledged.length).toBeGreaterThan(30);
    expect(await read(store)).toEqual(acknowledged);
    expect(temporaryIn(folder)).toEqual([]);
    const other = await openFileStore(folder);
    expect(await read(other)).toEqual(acknowledged);
    await other.close();
    rmSync(ballast);
    expect(await append(900_000)).toEqual(["ok"]);
    expect(await read(store)).toEqual([...acknowledged, 900_000]);
    await store.close();
    expect(temporaryIn(folder)).toEqual([]);
  });
});

it("says that a disk is read-only, and goes on once it can be written", async (context) => {
  await withSmallDisk(context, "2m", async (directory) => {
    const store = await openFileStore(join(directory, "store"));
    await addOne(store, KEY, "a");
    execFileSync("mount", ["-o", "remount,ro", directory]);
    const readOnly = { status: "UNAVAILABLE", reason: "STORAGE_READ_ONLY", retryable: true };
    await expect(addOne(store, KEY, "b")).rejects.toMatchObject(readOnly);
    await expect(openFileStore(join(directory, "new"))).rejects.toMatchObject(readOnly);
    expect((await namesAdded(store, KEY)).names).toEqual(["a"]);
    execFileSync("mount", ["-o", "remount,rw", directory]);
    await addOne(store, KEY, "b");
    expect((await namesAdded(store, KEY)).names).toEqual(["a", "b"]);
    await store.close();
  });
});

/** Calls that take space, each of which a full disk may refuse. */
const TAKING = ["create", "write", "sync", "link", "rename", "makeFolder", "touch"];

/** Does the work with a disk that is full at one call after the other, and checks each time what is left. */
async function fillAtEveryCall(before: readonly string[]): Promise<readonly string[]> {
  const refused: string[] = [];
  for (let fate = 1; ; fate += 1) {
    const folder = temporaryFolder();
    let count = -Infinity;
    const disk = watchedDisk((call) => {
      if (!TAKING.includes(call)) return;
      count += 1;
      if (count !== fate) return;
      refused.push(call);
      throw systemError("ENOSPC");
    });
    const store = await openFileStore(folder, { disk });
    for (const name of before) await addOne(store, KEY, name);
    count = 0;
    const failure = await addOne(store, KEY, "x").catch((error: unknown) => error);
    if (failure !== undefined) expect(failure, `call ${fate}`).toMatchObject(FULL);
    const isWritten = failure === undefined;
    const names = isWritten ? [...before, "x"] : before;
    // Behind the answer the tail may be folded; nobody is told when that fails, and the next one to come puts it right.
    await store.close();
    if (!isWritten) expect(temporaryIn(folder), `call ${fate}`).toEqual([]);
    const other = await openFileStore(folder);
    expect(await namesAdded(other, KEY)).toEqual({ rev: names.length, names });
    await addOne(other, KEY, "y");
    expect((await namesAdded(other, KEY)).names).toEqual([...names, "y"]);
    await other.close();
    expect(temporaryIn(folder), `call ${fate}`).toEqual([]);
    if (count < fate) return refused;
  }
}

it("full at any call that makes a session: nothing of it is there, and nothing is left behind", async () => {
  const refused = await fillAtEveryCall([]);
  expect(new Set(refused)).toEqual(new Set(["makeFolder", "create", "write", "sync", "rename"]));
});

it("full at any call that adds an entry: nothing of it is there, and nothing is left behind", async () => {
  expect(await fillAtEveryCall(["a"])).toEqual(["create", "write", "sync", "link"]);
});

it("full at any call that folds the tail: what was acknowledged stays, and nothing is left behind", async () => {
  const refused = await fillAtEveryCall(numbered(32, "a"));
  expect(refused.length).toBeGreaterThan(10);
});
