import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));

const COPIED = ["oxlint.config.mjs", "package.json", "src", "tsconfig.json"];

interface Finding {
  readonly file: string;
  readonly rule: string;
  readonly message: string;
}

/** The source tree in a temporary place, where planting a violation hurts nobody. */
export class HouseCopy {
  readonly #directory: string = mkdtempSync(join(tmpdir(), "turnkeep-house-"));

  constructor() {
    for (const name of COPIED) {
      cpSync(join(ROOT, name), join(this.#directory, name), { recursive: true });
    }
    const modules = join(this.#directory, "node_modules");
    symlinkSync(join(ROOT, "node_modules"), modules, "junction");
  }

  /** Gives rooms that are still to be built an index, so that there is something to import. */
  furnish(rooms: readonly string[]): void {
    for (const room of rooms) {
      const index = join(room, "index.ts");
      if (!existsSync(join(this.#directory, "src", room))) this.plant(index, "export {};");
    }
  }

  /** Writes one file; `file` is relative to `src`. */
  plant(file: string, code: string): void {
    const path = join(this.#directory, "src", file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${code}\n`);
  }

  lint(): Findings {
    const oxlint = join(ROOT, "node_modules", "oxlint", "bin", "oxlint");
    const options = ["-c", "oxlint.config.mjs", "--type-aware", "--format", "json", "src"];
    const { stdout, stderr } = spawnSync(process.execPath, [oxlint, ...options], {
      cwd: this.#directory,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    if (!stdout.startsWith("{")) throw new Error(`oxlint did not run: ${stdout}${stderr}`);
    return new Findings(stdout);
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

export class Findings {
  readonly all: readonly Finding[];

  constructor(report: string) {
    const { diagnostics } = JSON.parse(report) as {
      readonly diagnostics: readonly { filename: string; code: string; message: string }[];
    };
    this.all = diagnostics.map(({ filename, code, message }) => ({
      file: filename.replaceAll("\\", "/").replace(/^src\//, ""),
      rule: /\((.+)\)/.exec(code)?.[1] ?? code,
      message,
    }));
  }

  rulesBrokenIn(file: string): string[] {
    return this.all.filter((finding) => finding.file === file).map(({ rule }) => rule);
  }
}
