import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { TurnkeepError } from "../../ledger/index.ts";
import { FileStore, type FileStoreOptions } from "./file-store.ts";
import { failedWith } from "./disk.ts";
import { toStoreError } from "./to-store-error.ts";

/**
 * Opens the folder, which is made if it is not there; its parent has to be. Use one on a local disk, for this alone.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when the path or an option is none; FAILED_PRECONDITION when the folder is on a network,
 *   a symbolic link, or open to everybody, or was written by a newer Turnkeep.
 */
export async function openFileStore(
  folder: string,
  options: FileStoreOptions = {},
): Promise<FileStore> {
  checkArguments(folder, options);
  try {
    const path = resolve(folder);
    const store = new FileStore(join(await parentOf(path), basename(path)), options);
    await store.open();
    return store;
  } catch (error) {
    throw toStoreError(error);
  }
}

function checkArguments(folder: unknown, options: unknown): void {
  if (typeof folder !== "string" || folder.trim() === "" || folder.includes("\0"))
    throw refusal("folder", "must be the path of a folder");
  if (typeof options !== "object" || options === null)
    throw refusal("options", "must be an object");
  if (process.platform === "win32") {
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      "Files are kept on Linux and macOS only, since Windows does not say when a folder is on the disk; use SQLite.",
      { reason: "STORE_UNSUITABLE" },
    );
  }
}

/** Links above the folder are the caller's own affair, but have to be followed only once. */
async function parentOf(path: string): Promise<string> {
  try {
    return await realpath(dirname(path));
  } catch (error) {
    if (!failedWith(error, "ENOENT")) throw error;
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      "The folder cannot keep sessions: make its parent folder first.",
      { reason: "STORE_UNSUITABLE" },
    );
  }
}

function refusal(field: string, rule: string): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", `${field}: ${rule}.`, { details: { field } });
}
