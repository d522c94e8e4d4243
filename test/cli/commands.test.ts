import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../house/house-copy.ts";
import { freshFolder, runTurnkeep, SHOP } from "./run-turnkeep.ts";

const COMMANDS = "demo init dev chat studio serve worker sessions verify doctor migrate".split(" ");

describe.each(COMMANDS)("turnkeep %s", (command) => {
  test("teaches how it is used, and refuses what it does not know", async () => {
    const [help, wrong] = await Promise.all([
      runTurnkeep([command, "--help"]),
      runTurnkeep([command, "--speed", "9"]),
    ]);
    expect(help.code).toBe(0);
    expect(help.out).toMatch(new RegExp(`^Usage: turnkeep ${command}`));
    expect(help.out).toContain("--json");
    expect(help.out).toContain("Exit codes:");
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('There is no option "--speed".');
    expect(wrong.err).toContain(`turnkeep ${command} --help`);
  });
});

test.each(["--version", "-v"])("turnkeep %s prints the version of the package", async (flag) => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly version: string;
  };
  expect(await runTurnkeep([flag])).toEqual({ code: 0, out: version, err: "" });
});

test("turnkeep help shows the help of a command, and without one the commands", async () => {
  const [help, flag, all] = await Promise.all([
    runTurnkeep(["help", "serve"]),
    runTurnkeep(["serve", "--help"]),
    runTurnkeep(["help"]),
  ]);
  expect(help).toEqual(flag);
  expect(help.out).toMatch(/^Usage: turnkeep serve/);
  expect(all.code).toBe(0);
  expect(all.out).toMatch(/^Usage: turnkeep <command>/);
});

const WRONG: readonly (readonly [readonly string[], number, RegExp])[] = [
  [["demo", "now"], 2, /takes options only/],
  [["demo", "--port", "lots"], 2, /--port must be a port/],
  [["serve"], 2, /Name one module/],
  [["serve", SHOP], 2, /Decide who may call: export "auth" from .*, or say --public/],
  [["serve", SHOP, "--dev", "--host", "0.0.0.0"], 2, /--dev is for this machine/],
  [["serve", SHOP, "--public", "--routes", "turn,session"], 2, /Did you mean `sessions`/],
  [["serve", "nowhere.mjs", "--public"], 1, /There is no file nowhere\.mjs/],
  [["chat", "clerk", "--module", SHOP, "--url", "http://127.0.0.1:1"], 2, /not both/],
  [["chat", "nobody", "--module", SHOP], 1, /no agent "nobody"\. There are: clerk/],
  [["chat"], 2, /Name an agent: concierge, cashier/],
  [["chat", "clerk", "--url", "http://127.0.0.1:1"], 1, /Nothing answers at/],
  [["chat", "a", "--url", "http://127.0.0.1:1", "--header", "x"], 2, /"name: value"/],
  [["sessions"], 2, /Say what to do: ls, show, export, import, rm, prune/],
  [["sessions", "toString", "clerk"], 2, /Say what to do/],
  [["sessions", "show", "clerk", "--module", SHOP], 2, /Name one session/],
  [["sessions", "show", "clerk", "x", "--module", SHOP], 1, /Session 'x' not found/],
  [["sessions", "rm", "clerk", "x", "--module", SHOP], 2, /Say --yes if it is meant/],
  [["sessions", "rm", "clerk", "x", "--yes", "--module", SHOP], 1, /There is no session "x"/],
  [["sessions", "prune", "clerk", "--module", SHOP], 2, /--older-than 30d/],
  [["sessions", "import", "clerk", "gone", "--module", SHOP], 1, /file gone cannot be read/],
  [["init"], 2, /Name one folder/],
  [["srve"], 2, /^There is no command "srve"\. Did you mean "serve"\?\nturnkeep --help$/],
  [["help", "inti"], 2, /There is no command "inti"\. Did you mean "init"\?/],
  [["fly"], 2, /^There is no command "fly"\.\n\nUsage: turnkeep <command>/],
  [["serve", SHOP, "--pubic"], 2, /^There is no option "--pubic"\. Did you mean --public\?\n/],
  [["verify", SHOP, "--jsno"], 2, /^There is no option "--jsno"\. Did you mean --json\?\n/],
  [["doctor", SHOP, "--store", "x"], 2, /^There is no option "--store"\.\n/],
  [["serve", SHOP, "--port"], 2, /^--port needs a value\.\n/],
  [["serve", SHOP, "--port", "--json"], 2, /^--port needs a value\.\n/],
  [["serve", SHOP, "--public=yes"], 2, /^--public takes no value\.\n/],
  [["sessions", "sohw", "clerk"], 2, /Did you mean "show"\?/],
];

test.each(WRONG)("turnkeep %j ends with %i and says how to mend it", async (args, code, says) => {
  const outcome = await runTurnkeep(args, { cwd: freshFolder() });
  expect(outcome.err).toMatch(says);
  expect(outcome.err).not.toMatch(/\n\s+at /);
  expect(outcome.code).toBe(code);
});

const BROKEN = "export const agents = [];\nconst total = ;\n";

test.each(["mjs", "ts"])(
  "a syntax error in a .%s file is shown with file and line",
  async (ending) => {
    const folder = freshFolder();
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
    writeFileSync(join(folder, `agents.${ending}`), `export * from "./broken.${ending}";\n`);
    writeFileSync(join(folder, `broken.${ending}`), BROKEN);
    const args = ["serve", `agents.${ending}`, "--public"];
    const { code, err } = await runTurnkeep(args, { cwd: folder });
    expect(err).toContain(`agents.${ending} could not be loaded: `);
    expect(err).toMatch(new RegExp(`broken\\.${ending}:2\\b`));
    expect(err).toMatch(/Unexpected (?:token ';'|";")/);
    expect(err).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
  },
);

test("a module that throws is shown with the lines that lead there, and no others", async () => {
  const folder = freshFolder();
  writeFileSync(join(folder, "agents.mjs"), "\nthrow new Error('Not today.');\n");
  const { code, err } = await runTurnkeep(["serve", "agents.mjs", "--public"], { cwd: folder });
  expect(err).toMatch(
    /^agents\.mjs could not be loaded: Error: Not today\.\n +at file:\S+agents\.mjs:2:7$/,
  );
  expect(code).toBe(1);
});

test("prune --older-than 0d warns that it means every idle session", async () => {
  const cwd = freshFolder();
  await runTurnkeep(["chat", "clerk", "--module", SHOP], { cwd, input: "hello\n" });
  const prune = ["sessions", "prune", "clerk", "--module", SHOP];
  const all = await runTurnkeep([...prune, "--older-than", "0d", "--dry-run"], { cwd });
  expect(all).toEqual({
    code: 0,
    out: "me",
    err: "Warning: --older-than 0d means every session that is idle.",
  });
  const old = await runTurnkeep([...prune, "--older-than", "1d", "--dry-run"], { cwd });
  expect(old).toEqual({ code: 0, out: "", err: "" });
  const asked = await runTurnkeep([...prune, "--older-than", "0h"], { cwd });
  expect([asked.code, asked.out]).toEqual([2, ""]);
  expect(asked.err).toContain("Warning: --older-than 0h means every session that is idle.");
});
