import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HOME_PREFIX, type HomeLabel, LABEL_FILE, removeHome } from "./services-home.ts";

const STOP_TIMEOUT_MS = 5_000;

/** Stops the servers, and removes the homes, of test runs that were killed before they could. */
export async function sweepAbandonedServers(parent: string = tmpdir()): Promise<void> {
  await Promise.all(abandonedIn(parent, HOME_PREFIX).map(sweepHome));
}

/** Folders of this user's whose label names a process that is no more. */
export function abandonedIn(parent: string, prefix: string): readonly string[] {
  return readdirSync(parent)
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(parent, name))
    .filter((directory) => isOurs(directory) && isAbandoned(directory));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

// In a container nobody may collect the dead, and they keep their process id.
function isZombie(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && readFileSync(file, "utf8").includes(") Z ");
}

// The temporary directory is everybody's: what somebody else put there is not for us to act on.
function isOurs(directory: string): boolean {
  const status = lstatSync(directory, { throwIfNoEntry: false });
  return status?.isDirectory() === true && status.uid === (process.getuid?.() ?? status.uid);
}

function isAbandoned(directory: string): boolean {
  const label = readLabel(directory);
  return label !== undefined && !isAlive(label.runnerPid);
}

async function sweepHome(directory: string): Promise<void> {
  const label = readLabel(directory);
  if (label?.serverPid !== undefined && livesIn(directory, label.serverPid)) {
    await end(label.serverPid, label.stopSignal);
  }
  removeHome(directory);
}

function readLabel(directory: string): HomeLabel | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, LABEL_FILE), "utf8")) as HomeLabel;
  } catch {
    return undefined;
  }
}

// A process id may have been given to somebody else meanwhile; our servers name their home.
function livesIn(directory: string, pid: number): boolean {
  return isAlive(pid) && commandLineOf(pid).includes(directory);
}

function commandLineOf(pid: number): string {
  const file = `/proc/${pid}/cmdline`;
  try {
    if (existsSync(file)) return readFileSync(file, "utf8").replaceAll("\0", " ");
    return execFileSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    return "";
  }
}

async function end(pid: number, stopSignal: NodeJS.Signals): Promise<void> {
  process.kill(pid, stopSignal);
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (isAlive(pid) && Date.now() < deadline) await sleep(20);
  if (isAlive(pid)) process.kill(pid, "SIGKILL");
}
