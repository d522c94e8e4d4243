import {
  type Dirent,
  type FSWatcher,
  readdirSync,
  statSync,
  watch,
  type WatchListener,
} from "node:fs";
import { join } from "node:path";
import { systemTimers } from "../ledger/index.ts";

const SOURCES = /\.(?:[cm]?[jt]sx?|json|prompt|md|ya?ml)$/;
const IGNORED = /^(?:node_modules|\..*)$/;
// Editors write a file in several steps.
const SETTLE_MS = 100;

interface WatchedFolder {
  readonly watcher: FSWatcher;
  readonly version: string;
}

/**
 * Watches the source files of a folder and of the folders below it.
 *
 * It watches folders, and compares files by path, time, size and inode. Watching a file itself would miss everything after an editor has
 * replaced it by another one of the same name.
 */
export class SourceWatcher {
  readonly #folder: string;
  readonly #watched = new Map<string, WatchedFolder>();
  #files: ReadonlyMap<string, string>;
  #notify: () => void = () => {};

  constructor(folder: string) {
    this.#folder = folder;
    this.#files = this.#scan();
  }

  /** Resolves when a source file has been added, changed or removed since the last call, and nothing more happens to it. */
  async nextChange(): Promise<void> {
    for (;;) {
      const event = new Promise<void>((resolve) => (this.#notify = resolve));
      const files = this.#scan();
      if (!isSame(files, this.#files)) return await this.#settle(files);
      // oxlint-disable-next-line no-await-in-loop
      await event;
    }
  }

  close(): void {
    this.#forget([]);
  }

  async #settle(files: ReadonlyMap<string, string>): Promise<void> {
    let before = files;
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop
      await systemTimers.sleep(SETTLE_MS);
      const after = this.#scan();
      if (isSame(before, after)) break;
      before = after;
    }
    this.#files = before;
  }

  /** The version of each source file. Starts to watch folders that are new. */
  #scan(): ReadonlyMap<string, string> {
    const files = new Map<string, string>();
    const folders = [this.#folder];
    for (const folder of folders) {
      this.#watch(folder);
      for (const entry of entriesOf(folder)) {
        const path = join(folder, entry.name);
        if (IGNORED.test(entry.name)) continue;
        if (entry.isDirectory()) folders.push(path);
        else if (SOURCES.test(entry.name)) files.set(path, versionOf(path));
      }
    }
    this.#forget(folders);
    return files;
  }

  #watch(folder: string): void {
    const version = versionOf(folder, { isFolder: true });
    const known = this.#watched.get(folder);
    if (known?.version === version) return;
    known?.watcher.close();
    this.#watched.delete(folder);
    const watcher = watchFolder(folder, this.#onEvent);
    if (watcher) this.#watched.set(folder, { watcher, version });
  }

  readonly #onEvent = (kind: string, name: string | null): void => {
    // A database or another file that is no source changes often, and does not matter.
    if (kind === "rename" || name === null || SOURCES.test(name)) this.#notify();
  };

  #forget(kept: readonly string[]): void {
    const gone = [...this.#watched.keys()].filter((folder) => !kept.includes(folder));
    for (const folder of gone) {
      this.#watched.get(folder)?.watcher.close();
      this.#watched.delete(folder);
    }
  }
}

// `undefined` when it was removed meanwhile.
function watchFolder(folder: string, listener: WatchListener<string>): FSWatcher | undefined {
  try {
    const watcher = watch(folder, listener);
    return watcher.on("error", () => watcher.close());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // It was removed meanwhile.
    return [];
  }
}

/** Differs when a file was written or replaced, and when a folder was replaced. */
function versionOf(path: string, { isFolder = false } = {}): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return "none";
  return isFolder ? `${stats.ino}` : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}

function isSame(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): boolean {
  return left.size === right.size && [...left].every(([key, value]) => right.get(key) === value);
}
