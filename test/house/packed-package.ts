import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "./house-copy.ts";
import { askRun } from "../support/run-resources.ts";

const ARCHIVE = await askRun("package");

type Dependencies = Readonly<Record<string, string>>;

export interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Dependencies;
  readonly optionalDependencies?: Dependencies;
  readonly peerDependencies?: Dependencies;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** The package as users get it: packed, then installed into a project of its own. */
export class PackedPackage {
  readonly project: string = mkdtempSync(join(tmpdir(), "turnkeep-package-"));
  readonly home: string = join(this.project, "node_modules", "turnkeep");
  readonly manifest: Manifest;

  constructor() {
    mkdirSync(this.home, { recursive: true });
    const unpack = [
      "-xzf",
      ARCHIVE,
      "-C",
      join("node_modules", "turnkeep"),
      "--strip-components=1",
    ];
    execFileSync("tar", unpack, { cwd: this.project });
    this.manifest = JSON.parse(readFileSync(join(this.home, "package.json"), "utf8")) as Manifest;
    for (const name of this.runtimeDependencies()) this.#link(name);
  }

  /** Every packed file, with forward slashes. */
  files(): string[] {
    return readdirSync(this.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.home.length + 1))
      .map((path) => path.replaceAll("\\", "/"));
  }

  /** What users import: `turnkeep/protocol` and so on, without data files. */
  importNames(): string[] {
    return Object.entries(this.manifest.exports)
      .filter(([, target]) => typeof target !== "string")
      .map(([subpath]) => subpath.replace(/^\./, this.manifest.name));
  }

  runtimeDependencies(): string[] {
    const { dependencies, optionalDependencies } = this.manifest;
    return Object.keys({ ...dependencies, ...optionalDependencies });
  }

  /** Installs the packages that only some subpaths need. */
  linkPeers(): void {
    for (const name of Object.keys(this.manifest.peerDependencies ?? {})) this.#link(name);
  }

  remove(): void {
    rmSync(this.project, { recursive: true, force: true });
  }

  #link(name: string): void {
    const installed = join(ROOT, "node_modules", name);
    const link = join(this.project, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    if (existsSync(installed)) symlinkSync(installed, link, "junction");
  }
}
