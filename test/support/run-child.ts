import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { argumentsFor } from "./program.ts";

export interface Children {
  /** Starts the script in a process of its own. */
  readonly startChild: (...commandLine: readonly string[]) => ChildProcess;
  /** Resolves with how the process ended: its exit code, or the signal that killed it. */
  readonly runChild: (...commandLine: readonly string[]) => Promise<number | string>;
}

export function childrenOf(script: URL): Children {
  const startChild = (...commandLine: readonly string[]): ChildProcess =>
    spawn(process.execPath, [...argumentsFor(script), ...commandLine], {
      stdio: ["ignore", "pipe", "inherit"],
    });
  return {
    startChild,
    runChild: async (...commandLine) => {
      const ended = await once(startChild(...commandLine), "exit");
      const [code, signal] = ended as [number | null, string | null];
      return code ?? signal ?? "unknown";
    },
  };
}
