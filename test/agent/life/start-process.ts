import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export interface StartedProcess {
  /** The first line it printed. */
  readonly firstLine: Promise<string>;
  /** Every line it prints. */
  readonly lines: readonly string[];
  /** Resolves to the signal that ended it. */
  readonly ended: Promise<NodeJS.Signals | null>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** Runs a file beside this one in a process of its own, from source. It is gone when the test is over. */
export function startProcess(file: string, order: object): StartedProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child: ChildProcess = spawn(
    process.execPath,
    ["--import", "tsx", "--conditions=@turnkeep/source", path, JSON.stringify(order)],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout! });
  reader.on("line", (line) => lines.push(line));
  const firstLine = once(reader, "line").then(([line]) => String(line));
  firstLine.catch(() => {});
  const ended = once(child, "exit").then(([, signal]) => signal as NodeJS.Signals | null);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { firstLine, lines, ended, kill: (signal) => void child.kill(signal) };
}
