import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";

const CHILD = fileURLToPath(new URL("child.ts", import.meta.url));

/** Starts `child.ts` in a process of its own. */
export function startChild(...commandLine: readonly string[]): ChildProcess {
  const flags = ["--import", "tsx", "--conditions=@turnkeep/source"];
  return spawn(process.execPath, [...flags, CHILD, ...commandLine], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Resolves with how the process ended: its exit code, or the signal that killed it. */
export async function runChild(...commandLine: readonly string[]): Promise<number | string> {
  const [code, signal] = (await once(startChild(...commandLine), "exit")) as [
    number | null,
    string | null,
  ];
  return code ?? signal ?? "unknown";
}
