import { TurnkeepError } from "../protocol/index.ts";
import { chatCommand } from "./chat-command.ts";
import type { Command, Terminal } from "./command.ts";
import { demoCommand } from "./demo-command.ts";
import { devCommand } from "./dev-command.ts";
import { doctorCommand } from "./doctor-command.ts";
import { initCommand } from "./init-command.ts";
import { migrateCommand } from "./migrate-command.ts";
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

/** Runs the command that the arguments name, and answers with the exit code of the process. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) return overview(name, terminal);
  if (rest.includes("--help") || rest.includes("-h")) {
    terminal.out(command.help);
    return DONE;
  }
  try {
    await command.run(rest, terminal);
    return DONE;
  } catch (error) {
    return complain(error, command, terminal);
  }
}

function overview(name: string | undefined, { out, err }: Terminal): number {
  const width = Math.max(...COMMANDS.map((command) => command.name.length));
  const list = COMMANDS.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  const text = ["Usage: turnkeep <command>", "", ...list, "", "turnkeep <command> --help"].join(
    "\n",
  );
  if (name === "--help" || name === "-h") {
    out(text);
    return DONE;
  }
  err(name === undefined ? text : `There is no command "${name}".\n\n${text}`);
  return CALLED_WRONGLY;
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
