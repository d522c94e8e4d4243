import { type ChildProcess, execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Stops a process, and resolves once it does nothing any more. SIGCONT lets it go on. */
export async function freeze(child: ChildProcess): Promise<void> {
  child.kill("SIGSTOP");
  while (stateOf(child.pid ?? 0) !== "T") await sleep(1);
}

function stateOf(pid: number): string {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file))
    return execFileSync("ps", ["-o", "state=", "-p", String(pid)]).toString()[0] ?? "";
  return /\) (\w)/.exec(readFileSync(file, "utf8"))?.[1] ?? "";
}
