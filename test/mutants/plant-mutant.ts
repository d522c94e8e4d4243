import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { bundling, openProgramFolder } from "../support/program.ts";
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

const SOURCE = resolve(import.meta.dirname, "../../src");
const EXAMINE = resolve(import.meta.dirname, "examine.ts");

/** Bundles the source with the fault in it, and lets the contract and the model look for it there. */
export async function plantMutant(mutant: Mutant, { runs, seeds }: Effort): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), "turnkeep-mutant-"));
  const program = join(folder, "examine.mjs");
  // What is wrong with a store shows in its contract, what is wrong with the ledger in the model.
  const first = mutant.file.startsWith("stores/") ? "contract" : "model";
  try {
    openProgramFolder(folder);
    await build({ ...bundling(EXAMINE), outfile: program, plugins: [planting(mutant)] });
    const { code, output } = await run([program, first, String(runs), ...seeds.map(String)]);
    return { mutant, caught: code !== 0, by: output.trim().split("\n").at(-1) ?? "" };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function planting(mutant: Mutant): Plugin {
  const path = join(SOURCE, mutant.file);
  return {
    name: "mutant",
    setup: (build) => {
      build.onLoad({ filter: /\.ts$/ }, (file) =>
        file.path === path ? { contents: plant(path, mutant), loader: "ts" } : undefined,
      );
    },
  };
}

function plant(path: string, { name, from, to }: Mutant): string {
  const source = readFileSync(path, "utf8");
  if (source.split(from).length !== 2) {
    throw new Error(
      `The mutant "${name}" no longer fits its file: bring test/mutants/mutants.ts up to date.`,
    );
  }
  return source.replace(from, () => to);
}

function run(parameters: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, parameters, {
    stdio: ["ignore", "pipe", "pipe"],
    // A fault may turn a wait into an endless one: that counts as noticed.
    timeout: 120_000,
  });
  return new Promise((done, fail) => {
    let output = "";
    child.stdout.on("data", (data: Buffer) => (output += data.toString()));
    child.stderr.on("data", (data: Buffer) => (output += data.toString()));
    child.once("error", fail);
    child.once("close", (code) => done({ code, output }));
  });
}
