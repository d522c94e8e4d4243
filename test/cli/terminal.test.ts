import { expect, test } from "vitest";
import { whenOver } from "../agent/life/leftovers.ts";
import { openTmux } from "../support/tmux.ts";
import { CLI } from "../workers/start-cli.ts";
import { freshFolder } from "./run-turnkeep.ts";

const TURNKEEP = `'${process.execPath}' '${CLI}'`;
// As long as all waits together may take on a machine that is busy; nothing here takes that long by itself.
const LONG = { timeout: 240_000 };

test("a talk in a terminal: an approval, a fork, and a way back", LONG, async (context) => {
  const terminal = await openTmux(context, freshFolder());
  whenOver(terminal.close);
  // What is typed while the talk ends would be lost, so the shell says how it ended by itself.
  await terminal.type(`${TURNKEEP} chat cashier; echo left: $?`);
  await terminal.sees("session me, a new session");
  await terminal.type("pay the shipyard 300");
  await terminal.sees("? Pay 300 euros to the shipyard?");
  await terminal.sees("yes, no, or an answer in its place>");
  await terminal.type("yes");
  await terminal.sees("200 are left.");
  // In colours, as the same talk through a pipe is not.
  await terminal.wrote("\u001B[2m");
  await terminal.type("/fork other");
  await terminal.sees("You are in session other now.");
  await terminal.type("pay the baker 20");
  await terminal.sees("180 are left.");
  await terminal.type("/back");
  await terminal.sees('Back where you said "pay the shipyard 300"');
  await terminal.type("/state");
  await terminal.sees('"euros": 200');
  // Nothing is under way, so this ends the talk.
  await terminal.press("C-c");
  await terminal.sees("left: 0");
  expect(await terminal.transcript()).toContain('→ pay {"to":"the shipyard","euros":300}');
});

test("a talk in a terminal: a turn is left, joined again, and stopped", LONG, async (context) => {
  const terminal = await openTmux(context, freshFolder());
  whenOver(terminal.close);
  await terminal.type(`${TURNKEEP} chat stargazer; echo left: $?`);
  await terminal.sees("session me, a new session");
  await terminal.type("count 60 stars");
  await terminal.sees('"looking":"2 of 60"');
  await terminal.type("/detach");
  await terminal.sees("(goes on by itself; /join to listen)");
  await terminal.type("/quit");
  await terminal.sees("left: 0");
  await terminal.type(`${TURNKEEP} chat stargazer; echo left again: $?`);
  // The other process is gone; this one goes on with the turn.
  await terminal.sees("A turn is under way:");
  await terminal.sees('"looking":"4 of 60"');
  await terminal.press("C-c");
  await terminal.sees("(stopped)");
  await terminal.type("count 1 stars");
  await terminal.sees("1 stars, the last one");
  await terminal.press("C-d");
  await terminal.sees("left again: 0");
});
