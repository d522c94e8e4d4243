#!/usr/bin/env node
import process from "node:process";
import type { Terminal } from "./command.ts";
import { runCli } from "./run-cli.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

const { stdin, stdout, stderr, env } = process;

const terminal: Terminal = {
  out: (line) => void stdout.write(`${line}\n`),
  err: (line) => void stderr.write(`${line}\n`),
  asksToStop: new Promise((resolve) => {
    // Only once: whoever asks a second time does not want to wait.
    for (const signal of SIGNALS) process.once(signal, () => resolve());
  }),
  input: stdin,
  output: stdout,
  isInteractive: stdin.isTTY && stdout.isTTY,
  hasColours: stdout.isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb",
};

process.exitCode = await runCli(process.argv.slice(2), terminal);
// What a module opened, a store above all, would keep the process running.
process.exit();
