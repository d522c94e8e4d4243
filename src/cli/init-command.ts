import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { TurnkeepError } from "../protocol/index.ts";
import type { Command, Terminal } from "./command.ts";
import { findOwnSpec } from "./init/find-own-spec.ts";
import { starterFiles } from "./init/starter-files.ts";
import { oneOf, readArguments } from "./read-arguments.ts";

const HELP = `Usage: turnkeep init <folder> [options]

Makes a small project in TypeScript: an agent with typed state, its store, a
server, and a test. Then installs what it needs with npm.

  <folder>       where to make it; must not be there yet, or be empty

  --no-install   only write the files
  --json         print what was done as one line of JSON
  --help         this text

Exit codes: 0 done, 1 could not, 2 called wrongly.

Example:
  turnkeep init my-agent && cd my-agent && npm test && npm run dev`;

const OPTIONS = { "no-install": { type: "boolean" }, json: { type: "boolean" } } as const;

export const initCommand: Command = {
  name: "init",
  summary: "make a new project: an agent, its store, a server, a test",
  help: HELP,
  run,
};

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const { positionals, values } = readArguments(args, OPTIONS);
  const folder = oneOf(positionals, "folder");
  const home = resolve(folder);
  const spec = await findOwnSpec(home);
  const files = starterFiles({ name: packageName(basename(home)), spec });
  await checkFree(folder);
  for (const [name, text] of Object.entries(files)) {
    const path = join(home, name);
    // oxlint-disable-next-line no-await-in-loop
    await mkdir(dirname(path), { recursive: true });
    // oxlint-disable-next-line no-await-in-loop
    await writeFile(path, text);
  }
  const isInstalled = values["no-install"] !== true && (await install(home));
  const names = Object.keys(files);
  if (values.json) terminal.out(JSON.stringify({ folder, files: names, installed: isInstalled }));
  else tell(terminal, { folder, names, isInstalled });
}

function tell(
  { out }: Terminal,
  {
    folder,
    names,
    isInstalled,
  }: { readonly folder: string; readonly names: readonly string[]; readonly isInstalled: boolean },
): void {
  for (const name of names) out(`  ${join(folder, name)}`);
  out("");
  out(`  cd ${folder}${isInstalled ? "" : " && npm install"}`);
  out("  npm test           # it works");
  out("  npm run dev        # talk to it, and watch it");
}

async function checkFree(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new TurnkeepError("FAILED_PRECONDITION", `${folder} is no folder. Choose another name.`);
  });
  if (found.length === 0) return;
  throw new TurnkeepError("ALREADY_EXISTS", `${folder} is not empty. Choose another name.`);
}

async function install(home: string): Promise<boolean> {
  const npm = spawn("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: home,
    // What npm says is not what this command answers with.
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  const [code] = (await Promise.race([once(npm, "exit"), once(npm, "error").then(() => [1])])) as [
    number | null,
  ];
  return code === 0;
}

function packageName(folder: string): string {
  return (
    folder
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, "-")
      .replaceAll(/^-+|-+$/g, "") || "my-agent"
  );
}
