import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import type { TestContext } from "vitest";
import { argumentsFor } from "./program.ts";
import { downloadDebianPackage, findLibraries } from "./services-debian.ts";
import { findOnPath } from "./services-programs.ts";

/** A system call that succeeded. Calls of several threads overlap, so each has a beginning and an end. */
export interface SystemCall {
  readonly name: string;
  /** As strace writes them; files that are open go by their paths. */
  readonly text: string;
  readonly begin: number;
  readonly end: number;
}

const CALLS =
  "fsync,fdatasync,link,linkat,rename,renameat,renameat2,mkdir,mkdirat,write,pwrite64,writev";
const run = promisify(execFile);

/** Runs a TypeScript file under strace and tells the calls that matter to what is on the disk, or skips the test and says why. */
export async function traceCalls(
  context: TestContext,
  file: URL,
  commandLine: readonly string[],
): Promise<readonly SystemCall[]> {
  const { program, environment } = await findStrace().catch((error: unknown) => {
    console.warn(`SKIPPED "${context.task.name}": needs strace (${String(error)})`);
    return context.skip("needs strace");
  });
  const directory = mkdtempSync(join(tmpdir(), "turnkeep-strace-"));
  const output = join(directory, "calls");
  // Long enough for two paths.
  const options = ["-f", "-y", "-s", "4096", "-e", `trace=${CALLS}`, "-o", output];
  try {
    const env = { ...process.env, ...environment };
    const node = [process.execPath, ...argumentsFor(file), ...commandLine];
    await run(program, [...options, ...node], { env });
    return parseCalls(readFileSync(output, "utf8"));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Strace {
  readonly program: string;
  /** Added to the environment, when the program's libraries are not the system's. */
  readonly environment: NodeJS.ProcessEnv;
}

/** @throws when there is none, or it may not look at other processes. */
async function findStrace(): Promise<Strace> {
  const strace = await installedStrace();
  const env = { ...process.env, ...strace.environment };
  await run(strace.program, ["-o", "/dev/null", process.execPath, "--version"], { env });
  return strace;
}

async function installedStrace(): Promise<Strace> {
  const installed = findOnPath("strace");
  if (installed !== undefined) return { program: installed, environment: {} };
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const directory = join(cache, "turnkeep", "strace");
  if (!existsSync(directory)) await downloadDebianPackage("strace", directory, {});
  const environment = { LD_LIBRARY_PATH: findLibraries(directory).join(":") };
  return { program: join(directory, "usr/bin/strace"), environment };
}

function parseCalls(output: string): readonly SystemCall[] {
  const calls: SystemCall[] = [];
  // By thread.
  const begun = new Map<string, Begun>();
  for (const [index, line] of output.split("\n").entries()) {
    const [, thread = "", rest = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const { text, begin } = joined(rest, index, begun.get(thread));
    if (text.endsWith(UNFINISHED)) {
      begun.set(thread, { text: text.slice(0, -UNFINISHED.length), begin });
      continue;
    }
    const [, name] = /^(\w+)\(.*\) += \d+/.exec(text) ?? [];
    if (name !== undefined) calls.push({ name, text, begin, end: index });
  }
  return calls;
}

interface Begun {
  readonly text: string;
  readonly begin: number;
}

const UNFINISHED = "<unfinished ...>";

/** A call that another thread's came between is told in two lines. */
function joined(rest: string, index: number, begun: Begun | undefined): Begun {
  const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
  if (resumed === null || begun === undefined) return { text: rest, begin: index };
  return { text: begun.text + (resumed[1] ?? ""), begin: begun.begin };
}
