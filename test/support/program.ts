import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, buildSync } from "esbuild";

const ROOT = resolve(import.meta.dirname, "../..");
const SOURCE = "@turnkeep/source";

/**
 * What Node is told to run a TypeScript file. In a run of the tests the file is bundled with all it imports, once for all processes
 * that are started from it: to compile it each time would take longer than most of them live.
 */
export function argumentsFor(file: URL): readonly string[] {
  const folder = process.env["TURNKEEP_RUN_FOLDER"];
  if (folder === undefined) return sourceArguments(file);
  return [programOf(fileURLToPath(file), join(folder, "programs"))];
}

/** The same for one that looks for other files beside itself, which it has to stay where it is for. */
export function sourceArguments(file: URL): readonly string[] {
  return ["--import", "tsx", `--conditions=${SOURCE}`, fileURLToPath(file)];
}

/** How a file is bundled with all of ours that it imports. Packages stay where they are. */
export function bundling(path: string): BuildOptions & { readonly write: true } {
  return {
    entryPoints: [path],
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    packages: "external",
    alias: ourSource(),
    sourcemap: "inline",
    logLevel: "error",
    write: true,
  };
}

/** A folder for programs, where they find packages as their sources do. */
export function openProgramFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  try {
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function programOf(path: string, folder: string): string {
  const program = join(folder, `${path.replaceAll(/\W+/g, "_").slice(-100)}.mjs`);
  if (existsSync(program)) return program;
  openProgramFolder(folder);
  const unfinished = `${program}.${process.pid}`;
  buildSync({ ...bundling(path), outfile: unfinished });
  renameSync(unfinished, program);
  return program;
}

// By its own name the package is a package as well.
function ourSource(): Record<string, string> {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  };
  const sources = Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === "string"
      ? []
      : [[`turnkeep${subpath.slice(1)}`, join(ROOT, target[SOURCE] ?? "")]],
  );
  return Object.fromEntries(sources) as Record<string, string>;
}
