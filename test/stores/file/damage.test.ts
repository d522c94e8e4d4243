import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FileStore, openFileStore } from "turnkeep/stores/file";
import { headRecord } from "turnkeep/testing";
import { expect, it } from "vitest";
import { filesUnder } from "./folder-contents.ts";
import { keyOf } from "./session-keys.ts";
import { addOne, numbered } from "./talk.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const DAMAGED = keyOf("damaged");
const FINE = keyOf("fine");

/** One session with a base and some entries, and the files of it. */
async function damagedSession(): Promise<{ folder: string; files: readonly string[] }> {
  const folder = temporaryFolder();
  const store = await openFileStore(folder);
  for (const name of numbered(3, "a")) await addOne(store, DAMAGED, name);
  await store.close();
  const files = filesUnder(join(folder, "sessions"));
  const again = await openFileStore(folder);
  await addOne(again, FINE, "a");
  await again.close();
  return { folder, files };
}

async function withStore(folder: string, work: (store: FileStore) => Promise<void>): Promise<void> {
  const store = await openFileStore(folder);
  await work(store);
  await store.close();
}

async function expectNoticed(store: FileStore, what: string): Promise<void> {
  const loss = { status: "DATA_LOSS", message: expect.not.stringContaining("/") };
  await expect(store.load(DAMAGED), what).rejects.toMatchObject(loss);
  const commit = { expect: 3, record: headRecord() };
  await expect(store.commit(DAMAGED, commit), what).rejects.toMatchObject(loss);
  expect((await store.load(FINE)).version).toBe(1);
  expect(await store.due({ kind: "work", limit: 10 })).toEqual([]);
  const { sessions } = await store.list(FINE.scope, { limit: 10 });
  expect(sessions.map(({ key }) => key.sessionId)).toContain("fine");
  await store.sweep();
}

it("notices a flipped bit anywhere in any file, and leaves other sessions alone", async () => {
  const { folder, files } = await damagedSession();
  expect(files).toHaveLength(3);
  for (const file of files) {
    const bytes = readFileSync(file);
    for (let place = 0; place < bytes.length; place += 37) {
      const flipped = Buffer.from(bytes);
      flipped[place] = (flipped[place] ?? 0) ^ 1;
      writeFileSync(file, flipped);
      await withStore(folder, (store) => expectNoticed(store, `${file} at ${place}`));
    }
    writeFileSync(file, bytes);
  }
  await withStore(folder, async (store) => expect((await store.load(DAMAGED)).version).toBe(3));
});

it("notices a file that was cut short or emptied", async () => {
  const { folder, files } = await damagedSession();
  for (const file of files) {
    const bytes = readFileSync(file);
    for (const length of [0, 10, 100, 200, bytes.length - 40, bytes.length - 1]) {
      writeFileSync(file, bytes.subarray(0, length));
      await withStore(folder, (store) => expectNoticed(store, `${file} of ${length}`));
    }
    writeFileSync(file, bytes);
  }
});

it("notices a missing base, and an entry missing between others", async () => {
  for (const ending of ["1.base", "2.entry"]) {
    const { folder, files } = await damagedSession();
    rmSync(files.find((file) => file.endsWith(ending)) ?? "");
    await withStore(folder, (store) => expectNoticed(store, ending));
  }
});

it("notices files of another session in the place of its own", async () => {
  const { folder, files } = await damagedSession();
  const base = files.find((file) => file.endsWith(".base")) ?? "";
  const other = filesUnder(join(folder, "sessions")).find((file) => !files.includes(file)) ?? "";
  writeFileSync(base, readFileSync(other));
  await withStore(folder, async (store) => {
    await expect(store.load(DAMAGED)).rejects.toMatchObject({ status: "DATA_LOSS" });
  });
});
