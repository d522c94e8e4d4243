import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { whenOver } from "./leftovers.ts";
import { until } from "./waiting.ts";

export interface StartedProcess {
  /** Everything it printed so far. */
  readonly lines: readonly string[];
  /** Resolves when it has printed a line. */
  readonly said: (line: string) => Promise<void>;
  /** Resolves to the signal that ended it. */
  readonly ended: Promise<NodeJS.Signals | null>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** Runs a file beside this one in a process of its own, from source. It is gone when the tests are over. */
export function startProcess(file: string, order: object): StartedProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child: ChildProcess = spawn(
    process.execPath,
    ["--import", "tsx", "--conditions=@turnkeep/source", path, JSON.stringify(order)],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const lines: string[] = [];
  createInterface({ input: child.stdout! }).on("line", (line) => lines.push(line));
  const ended = once(child, "exit").then(([, signal]) => signal as NodeJS.Signals | null);
  whenOver(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    lines,
    said: (line) => until(() => lines.includes(line), { withinMs: 30_000 }),
    ended,
    kill: (signal) => void child.kill(signal),
  };
}
