import { describe, expect, test } from "vitest";
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
    expect(wrong.err).toContain("'--speed'");
    expect(wrong.err).toContain(`turnkeep ${command} --help`);
  });
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
];

test.each(WRONG)("turnkeep %j ends with %i and says how to mend it", async (args, code, says) => {
  const outcome = await runTurnkeep(args, { cwd: freshFolder() });
  expect(outcome.err).toMatch(says);
  expect(outcome.err).not.toMatch(/\n\s+at /);
  expect(outcome.code).toBe(code);
});
