import { describe, expect, test } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { TEST_PLACES } from "../support/places/test-places.ts";
import {
  allRows,
  corruptRow,
  rowId,
  runCommand,
  runOnShop,
  storeFlags,
  storeWith,
} from "./stored-shop.ts";

const PLACES = (["sqlite", "postgres"] as const).filter((name) => TEST_PLACES.includes(name));

describe.each(PLACES)("on %s", (kind) => {
  test("verify finds nothing where all is sound", async () => {
    const { settings } = await storeWith(kind, { a: { items: "tea" }, b: { items: "milk" } });
    const { code, out, err } = await runCommand(["verify", ...storeFlags(settings)]);
    expect(err).toBe("");
    expect(out).toBe("2 sessions with 4 snapshots verified");
    expect(code).toBe(0);
  });

  test("verify names a row that was altered, with its session and snapshot, and changes nothing", async () => {
    const { settings, heads } = await storeWith(kind, { a: { items: "tea" }, b: { items: "x" } });
    const own = `snapshot/${rowId(heads["a"])}`;
    await corruptRow(settings, own, '{"rev":2,"status":"completed","chain":');
    const before = await allRows(settings);
    const { code, out, err } = await runCommand(["verify", ...storeFlags(settings)]);
    expect(out).toMatch(`session a: row ${own} cannot be read`);
    expect(out).not.toMatch("session b");
    expect(err).toMatch(/1 damages found.*nothing was changed/);
    expect(code).toBe(1);
    expect(await allRows(settings)).toEqual(before);
  });

  test("verify names content that does not match its hash, as JSON", async () => {
    const { settings, heads } = await storeWith(kind, { a: { items: "tea" } });
    const delta = { messages: [{ take: [0, 2] }, { add: [{ role: "model", content: [] }] }] };
    await corruptRow(settings, "delta/000001/000002", JSON.stringify(delta));
    const { code, out } = await runOnShop(["verify", "--json"], { settings, build: "plain" });
    expect(JSON.parse(out)).toMatchObject({
      sessions: 1,
      snapshots: 2,
      damages: [
        {
          tenant: "local",
          agent: "shop",
          sessionId: "a",
          snapshotId: rowId(heads["a"]),
          row: "delta/000001/000002",
        },
      ],
    });
    expect(code).toBe(1);
  });

  test("doctor names each session that would fail and why, and changes nothing", async () => {
    const { settings, heads } = await storeWith(kind, {
      fine: { items: ["tea"], version: 2 },
      older: { items: "tea" },
      newer: { items: ["tea"], version: 7 },
      cursed: { items: "cursed" },
      damaged: { items: "milk" },
    });
    const own = `snapshot/${rowId(heads["damaged"])}`;
    await corruptRow(settings, own, "{}{");
    const before = await allRows(settings);
    const { code, out, err } = await runOnShop(["doctor", "--json"], { settings, build: "second" });
    const { sessions, older, failures } = JSON.parse(out) as {
      readonly sessions: number;
      readonly older: number;
      readonly failures: readonly { readonly sessionId: string }[];
    };
    expect(sessions).toBe(5);
    expect(older).toBe(2);
    const bySession = Object.fromEntries(failures.map((one) => [one.sessionId, one]));
    expect(Object.keys(bySession).toSorted()).toEqual(["cursed", "damaged", "newer"]);
    expect(bySession["newer"]).toMatchObject({
      reason: "STATE_TOO_NEW",
      snapshotId: heads["newer"],
      message: expect.stringMatching(/has version 7, .*knows versions up to 2/) as string,
    });
    expect(bySession["cursed"]).toMatchObject({
      reason: "MIGRATION_FAILED",
      snapshotId: heads["cursed"],
      cause: "no idea what to do with version 0",
    });
    expect(bySession["damaged"]).toMatchObject({ snapshotId: heads["damaged"] });
    expect(err).toMatch(/3 snapshots would fail with this build\. Nothing was changed/);
    expect(code).toBe(1);
    expect(await allRows(settings)).toEqual(before);
  });

  test("doctor says so where a migration is missing, and is content where none is needed", async () => {
    const { settings } = await storeWith(kind, { older: { items: ["tea"] } });
    const missing = await runOnShop(["doctor"], { settings, build: "unmigrated" });
    expect(missing.out).toMatch(
      /session older, snapshot older\.\w+: MIGRATION_MISSING\. The state/,
    );
    expect(missing.code).toBe(1);
    const plain = await runOnShop(["doctor", "--all"], { settings, build: "plain" });
    expect(plain.out).toBe("1 session opened, 0 snapshots with an older state, 0 failures");
    expect(plain.code).toBe(0);
  });

  test("migrate brings the schema up to date and counts older states", async () => {
    const { settings } = await storeWith(kind, { older: { items: "tea" }, b: { items: "cursed" } });
    const bare = await runCommand(["migrate", ...storeFlags(settings)]);
    const version = kind === "sqlite" ? 2 : 1;
    expect(bare.out).toMatch(new RegExp(`^up to date: .+, with schema version ${version}$`));
    expect(bare.code).toBe(0);
    const full = await runOnShop(["migrate"], { settings, build: "second" });
    expect(full.out).toMatch(
      `up to date: the store of shop, with schema version ${version}\n2 of 2 sessions keep an older state`,
    );
    expect(full.err).toMatch(/1 states cannot be read by this build: see turnkeep doctor/);
    expect(full.code).toBe(1);
  });
});

/** In this process, for calls that end before anything is opened. */
async function runHere(
  args: readonly string[],
): Promise<{ readonly code: number; readonly err: string }> {
  const lines: string[] = [];
  const code = await runCli(args, {
    out: () => {},
    err: (line) => void lines.push(line),
    asksToStop: () => new Promise(() => {}),
    input: process.stdin,
    output: process.stdout,
    isInteractive: false,
    hasColours: false,
  });
  return { code, err: lines.join("\n") };
}

const misuses: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["nothing", ["verify"], /Name a module that exports agents, or a --store/],
  ["both", ["verify", "agents.js", "--store", "x.db"], /Name a module .* or a --store/],
  ["two modules", ["doctor", "a.js", "b.js"], /Name one module/],
  ["a store for the doctor", ["doctor", "--store", "x.db"], /--store/],
  ["what only the doctor knows", ["verify", "a.js", "--all"], /--all/],
  ["a server without its prefix", ["verify", "--store", "redis://127.0.0.1:1"], /--prefix/],
];

test.each(misuses)("a command that was given %s says how it is called", async (_, args, text) => {
  const { code, err } = await runHere(args);
  expect(err).toMatch(text);
  expect(err).toMatch(`turnkeep ${args[0]} --help`);
  expect(code).toBe(2);
});

test("a store that is not there is not made", async () => {
  const { code, err } = await runHere(["verify", "--store", "nowhere/sessions.db"]);
  expect(err).toBe("There is no file or folder nowhere/sessions.db.");
  expect(code).toBe(1);
});
