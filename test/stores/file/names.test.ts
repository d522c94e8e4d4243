import { readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { openFileStore } from "turnkeep/stores/file";
import { headRecord } from "turnkeep/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { SessionKey } from "../../../src/ledger/index.ts";
import { nodeDisk } from "../../../src/stores/file/disk.ts";
import { StoreFolder } from "../../../src/stores/file/store-folder.ts";
import { filesUnder } from "./folder-contents.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const IDS = 20_000;
const INSIDE = /^\/store\/sessions\/[0-9a-f]{64}\/[0-9a-f]{64}$/;
const NASTY = [
  "..",
  "../..",
  "../../../../etc/passwd",
  "/etc/passwd",
  "a/../../b",
  "..\\..",
  ".",
  "\0",
  "a\0",
  "a\0b",
  "CON",
  "con",
  "NUL.txt",
  "COM1",
  "a.",
  "a ",
  "x".repeat(512),
  "x".repeat(100_000),
  "\u00E9",
  "e\u0301",
  "\u212B",
  "\u00C5",
  "A\u030A",
  "~",
  "-rf",
  "a\nb",
  "__proto__",
];
const someId = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom(".", "/", "\\", "\0", "e", "\u0301", "\u00E9"),
    maxLength: 12,
  }),
);

function keyOfParts([tenant, agent, sessionId]: readonly string[]): SessionKey {
  return { scope: { tenant }, agent, sessionId } as unknown as SessionKey;
}

it("of 20,000 names none leads out of the folder, and no two to the same place", () => {
  const folder = new StoreFolder("/store", nodeDisk);
  const parts = fc.sample(fc.tuple(someId, someId, someId), { numRuns: IDS, seed: 14 });
  const names = new Set([
    ...parts.map((part) => JSON.stringify(part)),
    ...NASTY.flatMap((one) => NASTY.map((other) => JSON.stringify([one, other, one + other]))),
  ]);
  expect(names.size).toBeGreaterThan(IDS * 0.9);
  const paths = new Set<string>();
  for (const name of names) {
    const path = folder.sessionOf(keyOfParts(JSON.parse(name) as string[]));
    if (!INSIDE.test(path)) expect.fail(`${name} leads to ${path}`);
    paths.add(path);
  }
  expect(paths.size).toBe(names.size);
});

it("names the folder of a tenant by the tenant alone, so that no session can be in that of another", () => {
  const folder = new StoreFolder("/store", nodeDisk);
  for (const tenant of NASTY) {
    const paths = NASTY.map((id) => folder.sessionOf(keyOfParts([tenant, id, id])));
    expect(new Set(paths.map((path) => dirname(path)))).toEqual(new Set([folder.tenantOf(tenant)]));
  }
});

it("keeps whatever it writes inside its folder, under names that say nothing", async () => {
  const root = temporaryFolder();
  const before = readdirSync(dirname(root));
  const store = await openFileStore(root);
  const names = NASTY.filter((name) => !name.includes("\0") && name.length <= 512);
  for (const name of names)
    await store.commit(keyOfParts([name, name, name]), { expect: 0, record: headRecord() });
  await store.sweep();
  for (const name of names) {
    const { sessions } = await store.list({ tenant: name } as SessionKey["scope"], { limit: 10 });
    expect(sessions.map((session) => session.key.sessionId)).toEqual([name]);
  }
  await store.close();
  expect(readdirSync(dirname(root)).length).toBe(before.length + 1);
  const inside = filesUnder(join(root, "sessions")).map((file) => relative(root, file));
  expect(inside.length).toBe(names.length);
  for (const file of inside) expect(file).toMatch(/^sessions(\/[0-9a-z-]+){4}\/\d{10}\.base$/);
});
