import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Mutant } from "./mutants.ts";

export interface Verdict {
  readonly mutant: Mutant;
  readonly caught: boolean;
  /** What noticed it. */
  readonly by: string;
}

export interface Effort {
  readonly runs: number;
  readonly seeds: readonly number[];
}

const ROOT = resolve(import.meta.dirname, "../..");
const COPIED = ["src", "test/ledger", "test/mutants", "package.json", "tsconfig.json"];

/** Plants the fault in a copy of the tree and lets the contract and the model look for it there. */
export async function plantMutant(mutant: Mutant, { runs, seeds }: Effort): Promise<Verdict> {
  const copy = mkdtempSync(join(tmpdir(), "turnkeep-tree-"));
  try {
    for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    plant(join(copy, "src", mutant.file), mutant);
    const { code, output } = await run(copy, [
      "test/mutants/examine.ts",
      String(runs),
      ...seeds.map(String),
    ]);
    return { mutant, caught: code !== 0, by: output.trim().split("\n").at(-1) ?? "" };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function plant(path: string, { name, from, to }: Mutant): void {
  const source = readFileSync(path, "utf8");
  if (source.split(from).length !== 2) {
    throw new Error(
      `The mutant "${name}" no longer fits its file: bring test/mutants/mutants.ts up to date.`,
    );
  }
  writeFileSync(
    path,
    source.replace(from, () => to),
  );
}

function run(
  cwd: string,
  parameters: readonly string[],
): Promise<{ code: number | null; output: string }> {
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "--conditions=@turnkeep/source", ...parameters],
    {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      // A fault may turn a wait into an endless one: that counts as noticed.
      timeout: 120_000,
    },
  );
  return new Promise((done, fail) => {
    let output = "";
    child.stdout.on("data", (data: Buffer) => (output += data.toString()));
    child.stderr.on("data", (data: Buffer) => (output += data.toString()));
    child.once("error", fail);
    child.once("close", (code) => done({ code, output }));
  });
}
