import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const TIMEOUT_MS = 120_000;

/** Unpacks a Debian package and its libraries into `directory`. Needs no root; installs nothing. */
export async function downloadDebianPackage(
  name: string,
  directory: string,
  links: Readonly<Record<string, string>>,
): Promise<void> {
  mkdirSync(dirname(directory), { recursive: true });
  const workshop = mkdtempSync(`${directory}-`);
  try {
    const root = join(workshop, "root");
    mkdirSync(root);
    for (const file of await fetchPackages(name, workshop)) await run("dpkg", ["-x", file, root]);
    for (const [link, target] of Object.entries(links)) symlinkSync(target, join(root, link));
    moveInto(directory, root);
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

/** Where the libraries of an unpacked package are. */
export function findLibraries(directory: string): string[] {
  return ["usr/lib", "lib"]
    .map((name) => join(directory, name))
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)))
    .filter((candidate) => candidate.includes("-linux-gnu"));
}

async function fetchPackages(name: string, workshop: string): Promise<string[]> {
  try {
    return await download(name, workshop, []);
  } catch {
    // A fresh container knows no packages. Fetch an index for ourselves rather than for the system.
    const index = await fetchIndex(workshop);
    return download(name, workshop, index);
  }
}

async function download(
  name: string,
  workshop: string,
  options: readonly string[],
): Promise<string[]> {
  const packages = join(workshop, "packages");
  mkdirSync(packages, { recursive: true });
  const { stdout } = await run("apt-cache", [...options, "depends", name], { timeout: TIMEOUT_MS });
  const dependencies = [...stdout.matchAll(/^ *Depends: (lib\S+)$/gm)].map(([, each = ""]) => each);
  // The C library belongs to the system's loader; a second one would not start.
  const libraries = dependencies.filter((each) => each !== "libc6");
  const command = [...options, "-o", "APT::Sandbox::User=", "download", name, ...libraries];
  await run("apt-get", command, { cwd: packages, timeout: TIMEOUT_MS });
  return readdirSync(packages).map((file) => join(packages, file));
}

async function fetchIndex(workshop: string): Promise<string[]> {
  const lists = join(workshop, "lists");
  const cache = join(workshop, "cache");
  mkdirSync(join(lists, "partial"), { recursive: true });
  mkdirSync(join(cache, "archives", "partial"), { recursive: true });
  const options = ["-o", `Dir::State::lists=${lists}`, "-o", `Dir::Cache=${cache}`];
  await run("apt-get", [...options, "-o", "APT::Sandbox::User=", "update"], {
    timeout: TIMEOUT_MS,
  });
  return options;
}

// Another run may have been faster; its copy is as good.
function moveInto(directory: string, root: string): void {
  try {
    renameSync(root, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  }
}
