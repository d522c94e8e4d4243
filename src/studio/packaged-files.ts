import { readdir, readFile } from "node:fs/promises";
import { TurnkeepError } from "../protocol/index.ts";
import type { StudioFiles } from "./studio-files.ts";

// Beside the built room, or where a build of the sources put it.
const FOLDERS = ["./app/", "../../dist/studio/app/"].map((path) => new URL(path, import.meta.url));

/** The files that come with the package. Only what was there when it was first asked is ever read, so no name leads elsewhere. */
export class PackagedFiles implements StudioFiles {
  #names: Promise<ReadonlyMap<string, URL>> | undefined;
  readonly #read = new Map<string, Promise<Uint8Array>>();

  readonly find = async (name: string): Promise<Uint8Array | undefined> => {
    this.#names ??= listFiles();
    const url = (await this.#names).get(name);
    if (url === undefined) return undefined;
    const bytes = this.#read.get(name) ?? readFile(url);
    this.#read.set(name, bytes);
    return await bytes;
  };
}

async function listFiles(): Promise<ReadonlyMap<string, URL>> {
  for (const folder of FOLDERS) {
    const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const names = found
      .filter((entry) => entry.isFile())
      .map((entry) => relativeName(folder, `${entry.parentPath}/${entry.name}`));
    if (names.length > 0) return new Map(names.map((name) => [name, new URL(name, folder)]));
  }
  throw new TurnkeepError("FAILED_PRECONDITION", "The Studio is not built. Run: npm run build.");
}

function relativeName(folder: URL, path: string): string {
  const start = decodeURIComponent(folder.pathname);
  return path.replaceAll("\\", "/").slice(start.length).replace(/^\/+/, "");
}
