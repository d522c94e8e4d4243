#!/usr/bin/env node
import process from "node:process";
import type { Terminal } from "./command.ts";
import { runCli } from "./run-cli.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

const terminal: Terminal = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  asksToStop: new Promise((resolve) => {
    // Only once: whoever asks a second time does not want to wait.
    for (const signal of SIGNALS) process.once(signal, () => resolve());
  }),
};

process.exitCode = await runCli(process.argv.slice(2), terminal);
// What a module opened, a store above all, would keep the process running.
process.exit();
