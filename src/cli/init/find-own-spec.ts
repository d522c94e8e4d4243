import { basename, dirname, relative, resolve } from "node:path";
import { findOwnPackage, readManifest } from "../own-manifest.ts";

/** How a new project names this package: by the file or folder that it was installed from, or else by its version. */
export async function findOwnSpec(home: string): Promise<string> {
  const { folder, manifest } = await findOwnPackage();
  const fileSpec = (place: string): string => `file:${relative(home, place).replaceAll("\\", "/")}`;
  // A clone is not installed anywhere.
  if (basename(dirname(folder)) !== "node_modules") return fileSpec(folder);
  const project = resolve(folder, "..", "..");
  const { dependencies, devDependencies } = (await readManifest(project)) ?? {};
  const spec = { ...devDependencies, ...dependencies }[manifest.name ?? ""];
  if (spec?.startsWith("file:")) return fileSpec(resolve(project, spec.slice("file:".length)));
  return `^${manifest.version ?? "0.0.0"}`;
}
