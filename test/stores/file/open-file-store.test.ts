import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openFileStore } from "turnkeep/stores/file";
import { fakeClock, headRecord } from "turnkeep/testing";
import { expect, it } from "vitest";
import { checkFileSystem } from "../../../src/stores/file/check-folder.ts";
import { filesUnder } from "./folder-contents.ts";
import { keyOf } from "./session-keys.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const KEY = keyOf("session");
const UNSUITABLE = { status: "FAILED_PRECONDITION", reason: "STORE_UNSUITABLE" };

it("makes folders and files that only their owner can read", async () => {
  const folder = temporaryFolder();
  const store = await openFileStore(folder);
  await store.commit(KEY, { expect: 0, record: headRecord({ dueAt: 1 }) });
  await store.commit(KEY, { expect: 1, record: headRecord() });
  await store.close();
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  expect(entries.length).toBeGreaterThan(10);
  for (const entry of [...entries.map((found) => join(found.parentPath, found.name)), folder]) {
    const { mode } = statSync(entry);
    expect(mode & 0o777, entry).toBe(statSync(entry).isDirectory() ? 0o700 : 0o600);
  }
});

it("refuses a folder that everybody may write to, and says how to change that", async () => {
  const folder = temporaryFolder();
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  const message: unknown = expect.stringContaining("chmod o-w");
  await expect(openFileStore(folder)).rejects.toMatchObject({ ...UNSUITABLE, message });
  chmodSync(folder, 0o770);
  await (await openFileStore(folder)).close();
});

it("refuses a symbolic link, a file, and a folder without a parent", async () => {
  const real = temporaryFolder();
  mkdirSync(real);
  const link = temporaryFolder("link");
  symlinkSync(real, link);
  await expect(openFileStore(link)).rejects.toMatchObject({
    ...UNSUITABLE,
    message: expect.stringContaining("symbolic link"),
  });
  expect(readdirSync(real)).toEqual([]);
  const file = temporaryFolder("file");
  writeFileSync(file, "");
  await expect(openFileStore(file)).rejects.toMatchObject(UNSUITABLE);
  for (const parent of [temporaryFolder("none"), file])
    await expect(openFileStore(join(parent, "store"))).rejects.toMatchObject(UNSUITABLE);
});

it("goes through a symbolic link above the folder, which is the caller's own", async () => {
  const real = temporaryFolder();
  mkdirSync(real);
  const link = temporaryFolder("link");
  symlinkSync(real, link);
  const store = await openFileStore(join(link, "store"));
  expect(await store.commit(KEY, { expect: 0, record: headRecord() })).toBe("ok");
  await store.close();
  expect(existsSync(join(real, "store", "sessions"))).toBe(true);
});

it("refuses to follow a symbolic link that somebody put inside", async () => {
  const folder = temporaryFolder();
  const store = await openFileStore(folder);
  await store.commit(KEY, { expect: 0, record: headRecord() });
  const [tenant = ""] = readdirSync(join(folder, "sessions"));
  const elsewhere = temporaryFolder("elsewhere");
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(folder, "sessions", tenant, "0".repeat(64)));
  expect((await store.list(KEY.scope, { limit: 10 })).sessions).toHaveLength(1);
  await store.sweep();
  expect((await store.load(KEY)).version).toBe(1);
  await store.close();
});

it("refuses the file systems of other machines", () => {
  const remote = [0x6969, 0x517b, 0xff534d42, 0xfe534d42];
  for (const type of remote)
    expect(() => checkFileSystem(type)).toThrow(expect.objectContaining(UNSUITABLE));
  // ext4, tmpfs, xfs, btrfs, overlay, apfs as macOS numbers it.
  for (const type of [0xef53, 0x01021994, 0x58465342, 0x9123683e, 0x794c7630, 0x1a])
    expect(() => checkFileSystem(type)).not.toThrow();
});

it("refuses arguments that are none", async () => {
  for (const folder of ["", "  ", "a\0b", 7, null, undefined])
    await expect(openFileStore(folder as string)).rejects.toMatchObject({
      status: "INVALID_ARGUMENT",
    });
  const options = [null, 7, { cacheBytes: 0 }, { cacheBytes: 1.5 }];
  for (const option of options)
    await expect(openFileStore(temporaryFolder(), option as object)).rejects.toMatchObject({
      status: "INVALID_ARGUMENT",
    });
});

it("refuses a folder from a newer version and names both, and one whose format file is damaged", async () => {
  const folder = temporaryFolder();
  await (await openFileStore(folder)).close();
  const file = join(folder, "turnkeep-format.json");
  writeFileSync(file, '{"format":99}');
  await expect(openFileStore(folder)).rejects.toMatchObject({
    status: "FAILED_PRECONDITION",
    reason: "SCHEMA_TOO_NEW",
    message: expect.stringMatching(/format 99.*up to 1\b/),
  });
  writeFileSync(file, "");
  await expect(openFileStore(folder)).rejects.toMatchObject({ status: "DATA_LOSS" });
});

it("may be opened many times at once, and leaves nothing of that behind", async () => {
  const folder = temporaryFolder();
  const stores = await Promise.all(Array.from({ length: 8 }, () => openFileStore(folder)));
  for (const store of stores) await store.close();
  expect(filesUnder(folder)).toEqual([join(folder, "turnkeep-format.json")]);
});

it("takes the time from the clock it is given", async () => {
  const clock = fakeClock(1000);
  const store = await openFileStore(temporaryFolder(), { clock });
  await store.commit(KEY, { expect: 0, record: headRecord({ dueAt: 2000 }) });
  expect((await store.load(KEY)).now).toBe(1000);
  expect(await store.due({ kind: "work", limit: 1 })).toEqual([]);
  clock.advance(1000);
  expect(await store.due({ kind: "work", limit: 1 })).toHaveLength(1);
  await store.close();
});
