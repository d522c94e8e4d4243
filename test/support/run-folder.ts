import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { labelHome, removeHome } from "./services-home.ts";
import { abandonedIn, sweepAbandonedServers } from "./services-sweep.ts";

const PREFIX = "turnkeep-run-";
const FOLDER = "TURNKEEP_RUN_FOLDER";
const MEMORY = "/dev/shm";
const NEEDED_BYTES = 4 * 1024 ** 3;

const WORKER = "worker-";
// tsx names the cache of what it compiled after the user.
const CACHE = `tsx-${process.getuid?.() ?? "cache"}`;
// What tools keep for later, and a browser has while it is open. The rest is ours.
const OF_TOOLS =
  /^(label\.json|worker-|programs|tsx-|node-compile-cache|playwright|\.(org|com)\.|chromium|al2023|fonts|locales|lib(EGL|GLES|vk|vulkan)|vk_)/;

/**
 * Makes the folder that everything temporary of this run goes into, for all processes to come. It is in memory where there is room:
 * what stores do most is to wait for a disk.
 */
export async function openRunFolder(): Promise<string> {
  const parent = process.env["TMPDIR"] === undefined && hasRoom() ? MEMORY : tmpdir();
  await sweepRuns(parent);
  const folder = mkdtempSync(join(parent, PREFIX));
  labelHome(folder, { runnerPid: process.pid, stopSignal: "SIGTERM" });
  letServersIn(folder);
  mkdirSync(join(folder, CACHE));
  process.env[FOLDER] = folder;
  process.env["TMPDIR"] = folder;
  return folder;
}

/** The temporary folder of one worker, which is from now on that of its process. */
export function openWorkerFolder(): string {
  const run = process.env[FOLDER] ?? tmpdir();
  const folder = join(run, `${WORKER}${process.env["VITEST_POOL_ID"] ?? process.pid}`);
  if (!existsSync(folder)) {
    mkdirSync(folder);
    letServersIn(folder);
    symlinkSync(join("..", CACHE), join(folder, CACHE));
  }
  process.env["TMPDIR"] = folder;
  return folder;
}

/** Takes away what tests have left in a folder, and says what it was. */
export function takeLeftovers(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => !OF_TOOLS.test(name));
  for (const name of names) rmSync(join(folder, name), { recursive: true, force: true });
  return names;
}

/**
 * Removes the folder of the run.
 * @throws when something was left in it: everything that is made is to be removed by whoever makes it.
 */
export function closeRunFolder(folder: string): void {
  const workers = readdirSync(folder).filter((name) => name.startsWith(WORKER));
  const left = [folder, ...workers.map((name) => join(folder, name))].flatMap(takeLeftovers);
  removeHome(folder);
  if (left.length > 0) throw new Error(`The run left temporary files behind: ${left.join(", ")}`);
}

// As root, servers run as somebody else, who has to get through to their own folders.
function letServersIn(folder: string): void {
  if (process.getuid?.() === 0) chmodSync(folder, 0o711);
}

// Browsers and servers are run from there, too.
function hasRoom(): boolean {
  if (!existsSync(MEMORY) || !existsSync("/proc/mounts")) return false;
  const mount = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .findLast(([, path]) => path === MEMORY);
  const options = mount?.[3]?.split(",") ?? ["noexec"];
  const { bavail, bsize } = statfsSync(MEMORY);
  return !options.includes("noexec") && !options.includes("ro") && bavail * bsize > NEEDED_BYTES;
}

async function sweepRuns(parent: string): Promise<void> {
  await sweepAbandonedServers(parent);
  for (const run of abandonedIn(parent, PREFIX)) {
    const folders = readdirSync(run).filter((name) => name.startsWith(WORKER));
    for (const folder of [run, ...folders.map((name) => join(run, name))])
      await sweepAbandonedServers(folder);
    removeHome(run);
  }
}
