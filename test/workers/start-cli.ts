import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { whenOver } from "../agent/life/leftovers.ts";
import { until } from "../agent/life/waiting.ts";
import "../support/built.ts";

export interface CliProcess {
  /** What it printed so far, and what it complained of. */
  readonly lines: readonly string[];
  readonly complaints: readonly string[];
  /** Resolves when it has printed a line that begins so. */
  readonly said: (start: string) => Promise<void>;
  /** Resolves to its exit code, or to the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Everything that it is told; there is no more to come. */
  readonly tell: (input: string) => void;
}

export const CLI: string = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Runs the built `turnkeep`, or that of a package which was installed. It is gone when the tests are over. */
export function startCli(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  cwd?: string,
  main: string = CLI,
): CliProcess {
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const complaints: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  createInterface({ input: child.stderr }).on("line", (line) => complaints.push(line));
  const ended = once(child, "close").then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals,
  );
  whenOver(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    lines,
    complaints,
    said: (start) => until(() => lines.some((line) => line.startsWith(start))),
    ended,
    kill: (signal) => void child.kill(signal),
    tell: (input) => void child.stdin.end(input),
  };
}

/** The path of a module beside the tests. */
export function modulePath(name: string): string {
  return fileURLToPath(new URL(`modules/${name}`, import.meta.url));
}
