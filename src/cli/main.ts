#!/usr/bin/env node
import process from "node:process";
import { closeOnSignals } from "../node/index.ts";
import type { Terminal } from "./command.ts";
import { runCli } from "./run-cli.ts";

const { stdin, stdout, stderr, env } = process;

const terminal: Terminal = {
  out: (line) => void stdout.write(`${line}\n`),
  err: (line) => void stderr.write(`${line}\n`),
  asksToStop,
  input: stdin,
  output: stdout,
  isInteractive: stdin.isTTY && stdout.isTTY,
  hasColours: stdout.isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb",
};

let isAskedToStop = false;
let finish = (): void => {};
const finished = new Promise<void>((resolve) => (finish = resolve));

function asksToStop(): Promise<void> {
  return new Promise((resolve) => {
    const close = (): Promise<void> => {
      isAskedToStop = true;
      resolve();
      return finished;
    };
    closeOnSignals({ close });
  });
}

const code = await runCli(process.argv.slice(2), terminal);
process.exitCode = code;
// After a signal, other listeners run before the process exits; a failure keeps its exit code.
if (isAskedToStop && code === 0) finish();
// Otherwise whatever a module opened, such as a store, would keep the process running.
else process.exit();
