import { mkdirSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { CLI } from "../workers/start-cli.ts";
import { TEST_PLACES } from "../support/places/test-places.ts";
import { freshFolder, runTurnkeep } from "./run-turnkeep.ts";
import {
  allRows,
  corruptRecord,
  runCommand,
  runOnShop,
  storeFlags,
  storeWith,
} from "./stored-shop.ts";

const PLACES = TEST_PLACES.filter((name) => name !== "memory");
const TEA = { items: ["tea"] };
const SESSIONS = { a: { ...TEA, tenant: "acme" }, b: { ...TEA, tenant: "globex" }, c: TEA };

describe.each(PLACES)("on %s", (kind) => {
  test("verify looks at every tenant, or at those that are named", async () => {
    const { settings } = await storeWith(kind, SESSIONS);
    const all = await runCommand(["verify", ...storeFlags(settings)]);
    expect(all).toEqual({ code: 0, out: "3 sessions with 6 snapshots verified", err: "" });
    const named = ["--tenant", "acme", "--tenant", "globex"];
    const some = await runCommand(["verify", ...storeFlags(settings), ...named]);
    expect(some.out).toBe("2 sessions with 4 snapshots verified");
  });

  test("verify names a session whose record cannot be read, goes on, and changes nothing", async () => {
    const { settings } = await storeWith(kind, SESSIONS);
    await corruptRecord(settings, "b");
    const before = await allRows(settings);
    const { code, out, err } = await runCommand(["verify", ...storeFlags(settings)]);
    expect(out.split("\n")).toEqual([
      "damaged: tenant globex, agent shop, session b: row record cannot be read",
      "3 sessions with 4 snapshots verified",
    ]);
    expect(err).toMatch(/^1 damages found\. .*nothing was changed\.$/);
    expect(code).toBe(1);
    expect(await allRows(settings)).toEqual(before);
  });

  test("doctor names it too, and opens the others of all tenants", async () => {
    const { settings } = await storeWith(kind, SESSIONS);
    await corruptRecord(settings, "b");
    const { code, out } = await runOnShop(["doctor"], { settings, build: "plain" });
    expect(out.split("\n")).toEqual([
      "fails: tenant globex, agent shop, session b: DATA_LOSS. The record of the session cannot be read from the store.",
      "3 sessions opened, 0 snapshots with an older state, 1 failure",
    ]);
    expect(code).toBe(1);
  });

  test("migrate says which schema version it found", async () => {
    const { settings } = await storeWith(kind, { c: TEA });
    const { out } = await runCommand(["migrate", ...storeFlags(settings), "--json"]);
    const version = kind === "sqlite" ? 2 : 1;
    expect(JSON.parse(out)).toMatchObject({ stores: [{ found: version, version }] });
  });
});

test("verify tells where a session lies when no file says whose it is", async () => {
  const { settings } = await storeWith("file", { a: TEA, b: TEA });
  const { path = "" } = settings;
  const files = readdirSync(path, { recursive: true, encoding: "utf8" });
  const base = join(path, files.find((name) => name.endsWith(".base")) ?? "");
  truncateSync(base, 10);
  const { code, out } = await runCommand(["verify", "--store", path]);
  const session = dirname(dirname(dirname(base)));
  expect(out).toContain(`damaged: ${session}: row record cannot be read, nor whose session it is`);
  expect(out).toContain("2 sessions with 2 snapshots verified");
  expect(code).toBe(1);
});

test.each([
  ["an empty file", 2, (path: string) => writeFileSync(path, "")],
  ["an empty folder", 1, (path: string) => mkdirSync(path)],
])("migrate says what it made of %s", async (_, version, make) => {
  const place = join(freshFolder(), "place");
  make(place);
  const made = await runTurnkeep(["migrate", "--store", place]);
  expect(made.out).toBe(`migrated: ${place}, from nothing to schema version ${version}`);
  const again = await runTurnkeep(["migrate", "--store", place]);
  expect(again.out).toBe(`up to date: ${place}, with schema version ${version}`);
});

test("a store that cannot say which tenants it has needs them named", async () => {
  const cwd = freshFolder();
  const dist = dirname(dirname(CLI));
  const lines = [
    `import { defineCustomAgent } from "${dist}/agent/index.js";`,
    `import { MemoryStore } from "${dist}/stores/memory/index.js";`,
    `const store = new MemoryStore();`,
    `store.survey = undefined;`,
    `export const agents = [defineCustomAgent({ name: "mute", store }, () => {})];`,
    `await agents[0].runText("hello", { sessionId: "x", tenant: "acme" });`,
  ];
  writeFileSync(join(cwd, "mute.mjs"), lines.join("\n"));
  const silent = await runTurnkeep(["verify", "mute.mjs"], { cwd });
  expect(silent.err).toContain("Name the tenants with --tenant: the store of mute cannot say");
  expect(silent.code).toBe(2);
  const named = await runTurnkeep(["verify", "mute.mjs", "--tenant", "acme"], { cwd });
  expect(named.out).toMatch(/^1 session with \d snapshots? verified$/);
});
