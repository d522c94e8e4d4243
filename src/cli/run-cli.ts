import { TurnkeepError } from "../protocol/index.ts";
import { chatCommand } from "./chat-command.ts";
import type { Command, Terminal } from "./command.ts";
import { demoCommand } from "./demo-command.ts";
import { devCommand } from "./dev-command.ts";
import { doctorCommand } from "./doctor-command.ts";
import { findNearest } from "./find-nearest.ts";
import { initCommand } from "./init-command.ts";
import { migrateCommand } from "./migrate-command.ts";
import { findOwnPackage } from "./own-manifest.ts";
import { serveCommand } from "./serve-command.ts";
import { sessionsCommand } from "./sessions-command.ts";
import { studioCommand } from "./studio-command.ts";
import { verifyCommand } from "./verify-command.ts";
import { workerCommand } from "./worker-command.ts";

const COMMANDS: readonly Command[] = [
  demoCommand,
  initCommand,
  devCommand,
  chatCommand,
  studioCommand,
  serveCommand,
  workerCommand,
  sessionsCommand,
  verifyCommand,
  doctorCommand,
  migrateCommand,
];

const DONE = 0;
const FAILED = 1;
const CALLED_WRONGLY = 2;

const HELP_FLAGS = ["--help", "-h"];
const VERSION_FLAGS = ["--version", "-v"];

/** Runs the command that the arguments name, and answers with the exit code of the process. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined) return fail(overview(), terminal);
  if (VERSION_FLAGS.includes(first)) return print(await ownVersion(), terminal);
  if (HELP_FLAGS.includes(first)) return print(overview(), terminal);
  const isHelp = first === "help" || rest.some((word) => HELP_FLAGS.includes(word));
  const name = first === "help" ? rest.find((word) => !word.startsWith("-")) : first;
  if (name === undefined) return print(overview(), terminal);
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) return fail(noCommand(name), terminal);
  return isHelp ? print(command.help, terminal) : await runCommand(command, rest, terminal);
}

async function runCommand(
  command: Command,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  try {
    await command.run(args, terminal);
    return DONE;
  } catch (error) {
    return complain(error, command, terminal);
  }
}

function print(text: string, { out }: Terminal): number {
  out(text);
  return DONE;
}

function fail(text: string, { err }: Terminal): number {
  err(text);
  return CALLED_WRONGLY;
}

function overview(): string {
  const width = Math.max(...COMMANDS.map((command) => command.name.length));
  const list = COMMANDS.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  const more = ["turnkeep help <command>", "turnkeep --version"];
  return ["Usage: turnkeep <command>", "", ...list, "", ...more].join("\n");
}

function noCommand(name: string): string {
  const names = COMMANDS.map((command) => command.name);
  const near = findNearest(name, names);
  return near === undefined
    ? `There is no command "${name}".\n\n${overview()}`
    : `There is no command "${name}". Did you mean "${near}"?\nturnkeep --help`;
}

async function ownVersion(): Promise<string> {
  return (await findOwnPackage()).manifest.version ?? "unknown";
}

function complain(error: unknown, command: Command, { err }: Terminal): number {
  if (!TurnkeepError.is(error)) {
    err(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return FAILED;
  }
  err(error.message);
  if (error.status !== "INVALID_ARGUMENT") return FAILED;
  err(`turnkeep ${command.name} --help`);
  return CALLED_WRONGLY;
}
