import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { dirname, resolve } from "node:path";
import process from "node:process";
import { checkOrigin } from "../http/index.ts";
import type { Command, Terminal } from "./command.ts";
import { checkExists } from "./load-agents.ts";
import { paintFor } from "./paint.ts";
import { oneOf, portFrom, readArguments } from "./read-arguments.ts";
import { TOKEN_VARIABLE } from "./serve-with-studio.ts";
import { SourceWatcher } from "./source-watcher.ts";

const HELP = `Usage: turnkeep dev <module> [options]

Serves the agents that a module exports while you work on them, and starts again
whenever a file in the module's folder, or below it, changes. The link it prints
opens the Studio, a page to talk to the agents and to watch them. What is said is
kept by the agents' stores: a turn that was under way goes on afterwards.

  <module>       a file that exports agents; TypeScript too, where tsx is
                 installed or Node reads it by itself:
                   export const agents = [support, research];

  --port N       where to listen (4400; the next free one if it is taken)
  --origin URL   let pages of this origin call, besides the server's own; repeat
                 it for several: --origin http://localhost:5173
  --json         print the addresses as lines of JSON
  --help         this text

Only this machine can reach it; everybody on it is let in, unless the module
exports an "auth" of its own.

Exit codes: 0 stopped as asked, 1 could not start, 2 called wrongly.

Example:
  turnkeep dev src/agents.ts`;

const OPTIONS = {
  port: { type: "string" },
  origin: { type: "string", multiple: true },
  json: { type: "boolean" },
} as const;

export const devCommand: Command = {
  name: "dev",
  summary: "serve a module while you work on it, with the Studio",
  help: HELP,
  run,
};

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const { positionals, values } = readArguments(args, OPTIONS);
  const file = oneOf(positionals, "module that exports agents");
  if (values.port !== undefined) portFrom(values.port);
  const origins = values.origin ?? [];
  for (const origin of origins) checkOrigin(origin);
  checkExists(file);
  const token = randomBytes(32).toString("base64url");
  const flags = [
    ...(values.port === undefined ? [] : ["--port", values.port]),
    ...origins.flatMap((origin) => ["--origin", origin]),
    ...(values.json ? ["--json"] : []),
  ];
  const watcher = new SourceWatcher(dirname(resolve(file)));
  await superviseUntilStopped(() => startServer([file, "--dev", ...flags], token), {
    watcher,
    terminal,
  });
  watcher.close();
}

async function superviseUntilStopped(
  start: () => ChildProcess,
  { watcher, terminal }: { readonly watcher: SourceWatcher; readonly terminal: Terminal },
): Promise<void> {
  const { dim } = paintFor(terminal);
  const stopped = terminal.asksToStop().then(() => "stopped" as const);
  for (let isStopped = false; !isStopped;) {
    const changed = watcher.nextChange().then(() => "changed" as const);
    const child = start();
    const ended = once(child, "exit").then(() => "ended" as const);
    // A server follows upon the end of the one before.
    // oxlint-disable-next-line no-await-in-loop
    const first = await Promise.race([stopped, changed, ended]);
    if (first === "ended") terminal.err(dim("The server has ended. Waiting for changes…"));
    // oxlint-disable-next-line no-await-in-loop
    isStopped = (await Promise.race([stopped, changed])) === "stopped";
    child.kill("SIGTERM");
    // oxlint-disable-next-line no-await-in-loop
    await ended;
    if (!isStopped) terminal.err(dim("Change detected, restarting…"));
  }
}

function startServer(args: readonly string[], token: string): ChildProcess {
  const [, main = ""] = process.argv;
  return spawn(process.execPath, [...process.execArgv, main, "serve", ...args], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, [TOKEN_VARIABLE]: token },
  });
}
