import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const EXAMPLES: string = join(import.meta.dirname, "../../examples");

const LOADER = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

/** Starts an example as a reader would, from the given directory. */
export function startExample(
  name: string,
  cwd: string,
  settings: NodeJS.ProcessEnv = {},
): ChildProcess {
  return startProgram(join(EXAMPLES, `${name}.ts`), cwd, settings);
}

/** Starts a program in TypeScript that imports the package. */
export function startProgram(
  file: string,
  cwd: string,
  settings: NodeJS.ProcessEnv = {},
): ChildProcess {
  const { PATH, HOME, TMPDIR } = process.env;
  return spawn(process.execPath, ["--import", LOADER, "--conditions=@turnkeep/source", file], {
    cwd,
    stdio: "pipe",
    // What the test runner sets for itself is not the example's.
    env: { PATH, HOME, TMPDIR, ...settings },
  });
}

export interface Ended {
  readonly exitCode: number | null;
  /** What it printed, errors included. */
  readonly text: string;
}

export async function endOf(child: ChildProcess): Promise<Ended> {
  const output = new Output(child);
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { exitCode, text: output.text };
}

/** What a process has printed so far. */
export class Output {
  text = "";
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (piece: string) => (this.text += piece));
    }
  }

  /** Resolves when the words were printed; rejects when the process ends without having done so. */
  async includes(words: string): Promise<void> {
    while (!this.text.includes(words)) {
      if (this.#child.exitCode !== null) throw new Error(`Ended without "${words}": ${this.text}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
