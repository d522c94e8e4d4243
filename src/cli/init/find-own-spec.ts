import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** How a new project names this package: by its version, or by the very file that the project which runs this got it from. */
export async function findOwnSpec(home: string): Promise<string> {
  const own = await nearestManifest(dirname(fileURLToPath(import.meta.url)));
  const name = own?.manifest.name ?? "turnkeep";
  // The folder above its own `node_modules`.
  const project = own && (await readManifest(resolve(own.folder, "..", "..")));
  const spec = { ...project?.devDependencies, ...project?.dependencies }[name];
  if (own && spec?.startsWith("file:")) {
    const file = resolve(own.folder, "..", "..", spec.slice("file:".length));
    return `file:${relative(home, file).replaceAll("\\", "/")}`;
  }
  return `^${own?.manifest.version ?? "0.0.0"}`;
}

async function nearestManifest(
  folder: string,
): Promise<{ readonly folder: string; readonly manifest: Manifest } | undefined> {
  const manifest = await readManifest(folder);
  if (manifest) return { folder, manifest };
  const above = dirname(folder);
  return above === folder ? undefined : await nearestManifest(above);
}

async function readManifest(folder: string): Promise<Manifest | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
  } catch {
    return undefined;
  }
}
