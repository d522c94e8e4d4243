import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { isAlive } from "./services-sweep.ts";

export const ROOT: string = resolve(import.meta.dirname, "../..");
const SOURCES = ["src", "studio", "package.json", "tsconfig.json", "tsconfig.build.json"];
// Written last.
const RESULT = "dist/studio/app/index.html";
const LOCK = join(ROOT, "node_modules/.turnkeep-build");

let built: Promise<string> | undefined;

/** Builds the package unless it is as new as its source, and says where it is. */
export function buildOnce(): Promise<string> {
  built ??= build();
  return built;
}

// Two runs in one folder do not build at once.
async function build(): Promise<string> {
  const unlock = await lock();
  try {
    if (isFresh()) return join(ROOT, "dist");
    await promisify(execFile)("npm", ["run", "--silent", "build"], {
      cwd: ROOT,
      shell: process.platform === "win32",
      // As for users: with the test runner's, libraries would be built for development.
      env: { ...process.env, NODE_ENV: undefined },
    });
    return join(ROOT, "dist");
  } finally {
    unlock();
  }
}

function isFresh(): boolean {
  const builtAt = changedAt(RESULT);
  return SOURCES.every((path) => newestIn(path) < builtAt);
}

/** When something in a folder was last changed, added or taken away. */
function newestIn(path: string): number {
  const stats = statSync(join(ROOT, path));
  if (!stats.isDirectory()) return stats.mtimeMs;
  const below = readdirSync(join(ROOT, path)).map((name) => newestIn(join(path, name)));
  return Math.max(stats.mtimeMs, ...below);
}

function changedAt(path: string): number {
  return statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

async function lock(): Promise<() => void> {
  const owner = join(LOCK, "pid");
  for (;;) {
    try {
      mkdirSync(LOCK);
      writeFileSync(owner, String(process.pid));
      return () => rmSync(LOCK, { recursive: true, force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if (isDead(owner)) rmSync(LOCK, { recursive: true, force: true });
    else await sleep(50);
  }
}

// An owner that has not written its name yet is just about to.
function isDead(owner: string): boolean {
  try {
    const pid = Number(readFileSync(owner, "utf8"));
    return pid > 0 && !isAlive(pid);
  } catch {
    return false;
  }
}
