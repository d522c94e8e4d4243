import { constants } from "node:fs";
import { access, lstat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type StoreSchema, TurnkeepError } from "../../ledger/index.ts";
import { type Disk, failedWith, ifThere, ignoreFailure, writeDurably } from "./disk.ts";
import { newId } from "./store-folder.ts";
import { damaged } from "./to-store-error.ts";

const FORMAT = 1;
const FORMAT_FILE = "turnkeep-format.json";
const FOLDERS = ["sessions", "due", "temporary"];
const WRITABLE_BY_ALL = 0o002;

/** File systems of other machines, which may answer before any disk has. By the numbers of Linux. */
const REMOTE: Readonly<Record<number, string>> = {
  0x6969: "NFS",
  0x517b: "SMB",
  0xff534d42: "CIFS",
  0xfe534d42: "SMB",
  0x5346414f: "AFS",
  0x00c36400: "Ceph",
  0x0bd00bd0: "Lustre",
};

/**
 * Makes the folder if it is not there, and sees whether sessions can be kept in it. Several processes may do so at once.
 *
 * @throws TurnkeepError FAILED_PRECONDITION when they cannot, or when a newer Turnkeep has written it.
 */
export async function prepareFolder(disk: Disk, root: string): Promise<StoreSchema> {
  if (await isMade(disk, root)) await disk.syncFolder(dirname(root));
  await checkFolder(root);
  for (const name of FOLDERS) await isMade(disk, join(root, name));
  const found = await checkFormat(disk, root);
  // Also when everything was there: whoever made it may not have waited for the disk.
  await disk.syncFolder(root);
  return { found, version: FORMAT };
}

/** Whether the folder was not there before. */
async function isMade(disk: Disk, path: string): Promise<boolean> {
  try {
    await disk.makeFolder(path);
    return true;
  } catch (error) {
    if (failedWith(error, "EEXIST")) return false;
    throw failedWith(error, "ENOENT", "ENOTDIR")
      ? unsuitable("make its parent folder first")
      : error;
  }
}

async function checkFolder(root: string): Promise<void> {
  const found = await lstat(root);
  if (found.isSymbolicLink())
    throw unsuitable("it is a symbolic link; name the folder it leads to");
  if (!found.isDirectory()) throw unsuitable("it is no folder; name another one");
  if ((found.mode & WRITABLE_BY_ALL) !== 0)
    throw unsuitable("everybody may write to it; run chmod o-w on it");
  await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
  checkFileSystem((await statfs(root)).type);
}

/** @throws TurnkeepError FAILED_PRECONDITION when it is one of another machine. */
export function checkFileSystem(type: number): void {
  const name = REMOTE[type];
  if (name !== undefined) throw unsuitable(`it is on ${name}; use a folder on a local disk`);
}

/** Which format was found; 0 when there was none. */
async function checkFormat(disk: Disk, root: string): Promise<number> {
  const path = join(root, FORMAT_FILE);
  const found = ifThere(() => disk.read(path));
  if (found === undefined) {
    await writeFormat(disk, root, path);
    return 0;
  }
  const format = readFormat(found);
  if (format <= FORMAT) return format;
  throw new TurnkeepError(
    "FAILED_PRECONDITION",
    `The folder has format ${format}, but this version of Turnkeep knows only up to ${FORMAT}. Update Turnkeep.`,
    { reason: "SCHEMA_TOO_NEW", details: { found: format, known: FORMAT } },
  );
}

/** By a link, so that another process finds it whole or not at all. */
async function writeFormat(disk: Disk, root: string, path: string): Promise<void> {
  const temporary = join(root, "temporary", newId());
  await writeDurably(disk, temporary, Buffer.from(`${JSON.stringify({ format: FORMAT })}\n`));
  try {
    await disk.link(temporary, path);
  } catch (error) {
    if (!failedWith(error, "EEXIST")) throw error;
  } finally {
    await ignoreFailure(disk.removeFile(temporary));
  }
}

function readFormat(bytes: Uint8Array): number {
  try {
    const { format } = JSON.parse(new TextDecoder().decode(bytes)) as { format?: unknown };
    if (typeof format === "number") return format;
  } catch {
    // Not written by us, or damaged.
  }
  throw damaged();
}

function unsuitable(why: string): TurnkeepError {
  return new TurnkeepError("FAILED_PRECONDITION", `The folder cannot keep sessions: ${why}.`, {
    reason: "STORE_UNSUITABLE",
  });
}
