import { expect, test } from "vitest";
import { whenOver } from "../agent/life/leftovers.ts";
import { openTmux } from "../support/tmux.ts";
import { CLI } from "../workers/start-cli.ts";
import { freshFolder, runTurnkeep } from "./run-turnkeep.ts";
import { MODULE, storeWith } from "./stored-shop.ts";

const TEA = { items: ["tea"] };
const FULL = "█";
const EMPTY = "░";

interface Work {
  readonly args: string;
  /** Its bar, in the middle of the work. */
  readonly bar: string;
  /** What it says when it is done. */
  readonly end: string;
}

const half = `${FULL.repeat(12)}${EMPTY.repeat(12)} 1/2`;
const ofShop = `shop --module ${MODULE}`;
// In this order: each works on what the one before it left.
const WORKS: readonly Work[] = [
  { args: `verify ${MODULE}`, bar: `verifying the store of shop ${half}`, end: "2 sessions with" },
  { args: `doctor ${MODULE}`, bar: `opening the store of shop ${half}`, end: "2 sessions open" },
  { args: `sessions export ${ofShop} --to kept`, bar: `exporting ${half}`, end: "kept/b.session" },
  {
    args: `sessions prune ${ofShop} --older-than 0m --yes`,
    bar: `erasing ${half}`,
    end: "erased 2 sessions",
  },
  {
    args: `sessions import ${ofShop} kept/a.session.jsonl kept/b.session.jsonl`,
    bar: `importing ${half}`,
    end: "b: 2 snapshots",
  },
];

test("long work shows on a terminal how far it is", { timeout: 300_000 }, async (context) => {
  const { settings } = await storeWith("sqlite", { a: TEA, b: TEA });
  const terminal = await openTmux(context, freshFolder());
  whenOver(terminal.close);
  await terminal.type(`export TURNKEEP_SHOP='${JSON.stringify({ settings, build: "plain" })}'`);
  for (const [index, { args, bar, end }] of WORKS.entries()) {
    await terminal.type(`'${process.execPath}' '${CLI}' ${args}; echo "work ${index}: $?"`);
    await terminal.sees(`work ${index}: 0`);
    await terminal.sees(end);
    await terminal.wrote(bar);
    // Gone when the work is done.
    expect(await terminal.transcript()).not.toMatch(/[█░]/);
  }
});

test("where there is no terminal, nothing of it is printed", async () => {
  const { settings } = await storeWith("sqlite", { a: TEA, b: TEA });
  const cwd = freshFolder();
  const environment = { TURNKEEP_SHOP: JSON.stringify({ settings, build: "plain" }) };
  for (const { args, end } of WORKS) {
    const { out, err, code } = await runTurnkeep(args.split(" "), { cwd, environment });
    expect(err).toMatch(/^(?:Warning: --older-than 0m means every session that is idle\.)?$/);
    expect(code).toBe(0);
    expect(out).toContain(end);
    for (const mark of [FULL, EMPTY, "\u001B"]) expect(out).not.toContain(mark);
  }
});
