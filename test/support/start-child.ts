import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { argumentsFor } from "./program.ts";

export interface StartedChild {
  readonly pid: number;
  /** Everything it printed so far. */
  readonly lines: readonly string[];
  /** Resolves to the signal that ended it. */
  readonly ended: Promise<NodeJS.Signals | null>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

export interface ChildOptions {
  /** Whether it uses the package as it was built, as those who install it do; its source, unless told. */
  readonly isBuilt?: boolean;
}

/** Runs a file in a process of its own, with an order as its argument. It is for whoever starts it to end it. */
export function startChild(
  file: URL,
  order: object,
  { isBuilt = false }: ChildOptions = {},
): StartedChild {
  const program = isBuilt ? ["--import", "tsx", fileURLToPath(file)] : argumentsFor(file);
  const child: ChildProcess = spawn(process.execPath, [...program, JSON.stringify(order)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout! }).on("line", (line) => lines.push(line));
  const ended = once(child, "exit").then(([, signal]) => signal as NodeJS.Signals | null);
  return { pid: child.pid ?? 0, lines, ended, kill: (signal) => void child.kill(signal) };
}
