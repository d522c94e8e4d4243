import { cpSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { openFileStore } from "turnkeep/stores/file";
import { expect, it } from "vitest";
import { type Disk, nodeDisk } from "../../../src/stores/file/disk.ts";
import { filesUnder } from "./folder-contents.ts";
import { keyOf } from "./session-keys.ts";
import { addOne, namesAdded, numbered } from "./talk.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { systemError, watchedDisk } from "./watched-disk.ts";

const KEY = keyOf("shared");
// The 33rd write, an entry behind a base and 31 others, is the one after which the tail is folded.
const BEFORE = numbered(32, "a");
const LAST = "b";
const AFTER = numbered(40, "c");

async function folderBefore(): Promise<string> {
  const folder = temporaryFolder("before");
  const store = await openFileStore(folder);
  for (const name of BEFORE) await addOne(store, KEY, name);
  await store.close();
  return folder;
}

/** Stops in the middle of removing a folder: its files are gone, the folder is not. */
function halfRemovingDisk(): Disk {
  return {
    ...nodeDisk,
    removeTree: async (path) => {
      for (const file of filesUnder(path)) rmSync(file);
    },
  };
}

function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** Makes whatever is temporary so old that a sweep takes it away. */
function age(folder: string): void {
  const temporary = join(folder, "temporary");
  for (const name of readdirSync(temporary)) utimesSync(join(temporary, name), 1, 1);
}

async function expectTidy(folder: string): Promise<void> {
  const store = await openFileStore(folder);
  age(folder);
  await store.sweep();
  await store.close();
  expect(readdirSync(join(folder, "temporary"))).toEqual([]);
  const generations = new Set(filesUnder(join(folder, "sessions")).map((file) => join(file, "..")));
  expect(generations.size).toBe(1);
}

it("lists what was written since, when it read the session before its next generation was in force", async () => {
  const folder = await folderBefore();
  const [sealed, goOn] = [gate(), gate()];
  const disk: Disk = {
    ...nodeDisk,
    rename: async (from, to) => {
      if (to.startsWith(join(folder, "sessions"))) {
        sealed.open();
        await goOn.passed;
      }
      await nodeDisk.rename(from, to);
    },
  };
  const writer = await openFileStore(folder, { disk });
  const reader = await openFileStore(folder);
  const revNow = async (): Promise<number | undefined> =>
    (await reader.list(KEY.scope, { limit: 1 })).sessions[0]?.record.rev;
  const written = addOne(writer, KEY, LAST);
  await sealed.passed;
  expect(await revNow()).toBe(33);
  goOn.open();
  await written;
  await addOne(writer, KEY, "c");
  expect(await revNow()).toBe(34);
  await Promise.all([writer.close(), reader.close()]);
});

it.each([
  ["goes on", false],
  ["goes on after a sweep that takes everything old away", true],
])(
  "killed at any call of a write and of the folding after it, loses nothing acknowledged and %s",
  async (_, isSwept) => {
    const template = await folderBefore();
    const calls: string[] = [];
    let fate = 0;
    for (let last = 1; fate < last; fate += 1) {
      const folder = temporaryFolder();
      cpSync(template, folder, { recursive: true });
      let count = -Infinity;
      const disk = watchedDisk((call) => {
        count += 1;
        if (fate === 0 && count > 0) calls.push(call);
        if (fate > 0 && count >= fate) throw systemError("EIO");
      });
      const witness = await openFileStore(folder);
      await witness.load(KEY);
      const dying = await openFileStore(folder, { disk });
      count = 0;
      const isAcknowledged = await addOne(dying, KEY, LAST).then(
        () => true,
        () => false,
      );
      await dying.close();
      last = calls.length + 2;
      const survivor = await openFileStore(folder);
      age(folder);
      if (isSwept) await survivor.sweep();
      const { rev, names } = await namesAdded(survivor, KEY);
      expect(names.length, `killed at call ${fate}`).toBe(rev);
      expect(names.slice(0, BEFORE.length)).toEqual(BEFORE);
      if (isAcknowledged) expect(names).toContain(LAST);
      // One that had read the session before goes on from what it knew.
      await addOne(witness, KEY, "bb");
      for (const name of AFTER) await addOne(survivor, KEY, name);
      const expected = [...names, "bb", ...AFTER].toSorted();
      for (const store of [survivor, witness])
        expect(await namesAdded(store, KEY)).toEqual({ rev: expected.length, names: expected });
      await survivor.close();
      await witness.close();
      await expectTidy(folder);
    }
    expect(calls).toEqual(expect.arrayContaining(["create", "link", "rename", "syncFolder"]));
    expect(fate).toBeGreaterThan(25);
  },
);

it("frozen at any call while others write, fold and sweep, writes nothing over theirs when it wakes", async () => {
  const template = await folderBefore();
  let fate = 1;
  for (let isFrozen = true; isFrozen; fate += 1) {
    const folder = temporaryFolder();
    cpSync(template, folder, { recursive: true });
    let count = -Infinity;
    const frozen = gate();
    const thawed = gate();
    const disk = watchedDisk(async (call) => {
      if (call === "read") return;
      count += 1;
      if (count !== fate) return;
      frozen.open();
      await thawed.passed;
    });
    const sleeper = await openFileStore(folder, { disk });
    await sleeper.load(KEY);
    count = 0;
    const written = addOne(sleeper, KEY, LAST).then(() => sleeper.close());
    isFrozen = await Promise.race([frozen.passed.then(() => true), written.then(() => false)]);
    const other = await openFileStore(folder, { disk: halfRemovingDisk() });
    for (const name of AFTER) await addOne(other, KEY, name);
    age(folder);
    await other.sweep();
    for (const name of numbered(40, "d")) await addOne(other, KEY, name);
    thawed.open();
    await written;
    const expected = [...BEFORE, LAST, ...AFTER, ...numbered(40, "d")];
    expect(await namesAdded(other, KEY), `frozen at call ${fate}`).toEqual({
      rev: expected.length,
      names: expected,
    });
    await other.close();
    await expectTidy(folder);
  }
  expect(fate).toBeGreaterThan(20);
});
