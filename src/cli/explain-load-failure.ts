import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import process from "node:process";

const FRAME = /^\s+at /;
// Frames of Node, of what translates TypeScript, and of this program: the fault is in none of them.
const OTHERS: readonly string[] = ["node:", "/esbuild/", "\\esbuild\\", dirname(import.meta.url)];
const LOCAL_IMPORT = /\b(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;
const MAX_FILES = 100;

/** What kept a module from being loaded, with the file and the line. */
export async function explainLoadFailure(path: string, error: unknown): Promise<string> {
  const { name, message, stack = "" } = error instanceof Error ? error : new Error(String(error));
  const lines = stack
    .split("\n")
    .filter((line) => !FRAME.test(line) || !OTHERS.some((other) => line.includes(other)));
  const isPlaced = lines.some((line) => FRAME.test(line)) || !stack.startsWith(name);
  const place =
    name === "SyntaxError" && !isPlaced ? await findSyntaxError(path, message) : undefined;
  return place ?? lines.join("\n");
}

/** Node names no file in the syntax error of an ES module. So each file is checked by itself, without running it. */
async function findSyntaxError(path: string, message: string): Promise<string | undefined> {
  const files = [path];
  for (const file of files) {
    // One after the other: mostly it is the first.
    // oxlint-disable-next-line no-await-in-loop
    const complaint = await checkSyntax(file);
    if (complaint.includes(message)) return complaint;
    const imported = localImports(file).filter((one) => !files.includes(one));
    files.push(...imported.slice(0, MAX_FILES - files.length));
  }
  return undefined;
}

/** File, line, the text there and the error, as Node shows them. Empty when there is nothing to complain of. */
async function checkSyntax(file: string): Promise<string> {
  return await new Promise((done) => {
    execFile(process.execPath, ["--check", file], (_error, _out, complaint) => {
      done(complaint.split(/\n\s+at /)[0] ?? "");
    });
  });
}

function localImports(file: string): readonly string[] {
  return [...readFileSync(file, "utf8").matchAll(LOCAL_IMPORT)]
    .map(([, name = ""]) => resolve(dirname(file), name))
    .filter((one) => existsSync(one));
}
