import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from "node:fs";
import { link, mkdir, open, rename, rm, rmdir, unlink } from "node:fs/promises";

/**
 * What the store asks of the file system. Whatever may wait for the disk is asynchronous; reading is not, because many small reads
 * from memory the system already has are faster that way than by turns of the event loop.
 */
export interface Disk {
  /** Makes a file that is not there yet. */
  readonly create: (path: string) => Promise<NewFile>;
  readonly link: (from: string, to: string) => Promise<void>;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly makeFolder: (path: string) => Promise<unknown>;
  /** Waits until the names in the folder are on the disk. */
  readonly syncFolder: (path: string) => Promise<void>;
  readonly removeFile: (path: string) => Promise<void>;
  /** Refuses when the folder is not empty. */
  readonly removeFolder: (path: string) => Promise<void>;
  readonly removeTree: (path: string) => Promise<void>;
  /** Makes an empty file, or a new time for the one that is there. */
  readonly touch: (path: string) => Promise<void>;
  /** The file, or no more than its first bytes. Never follows a link. */
  readonly read: (path: string, maxBytes?: number) => Uint8Array;
  /** Names of what is in the folder; none when there is no such folder. Never follows a link. */
  readonly names: (path: string) => readonly string[];
  /** Throws ELOOP when the path is a link. */
  readonly refuseLink: (path: string) => void;
  /** When the file or folder was last changed, if it is there. */
  readonly changedAt: (path: string) => number | undefined;
}

export interface NewFile {
  readonly writeFile: (bytes: Uint8Array) => Promise<void>;
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_TRUNC, O_WRONLY, O_DIRECTORY } = constants;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

export const nodeDisk: Disk = {
  create: (path) => open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FILE_MODE),
  link,
  rename,
  makeFolder: (path) => mkdir(path, FOLDER_MODE),
  syncFolder: async (path) => {
    const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
  removeFile: unlink,
  removeFolder: (path) => rmdir(path),
  removeTree: (path) => rm(path, { recursive: true, force: true }),
  touch: async (path) => {
    const file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, FILE_MODE);
    await file.close();
  },
  read: (path, maxBytes) => {
    const file = openSync(path, O_RDONLY | O_NOFOLLOW);
    try {
      if (maxBytes === undefined) return readFileSync(file);
      const bytes = Buffer.alloc(maxBytes);
      return bytes.subarray(0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  },
  names: (path) => {
    nodeDisk.refuseLink(path);
    return ifThere(() => readdirSync(path)) ?? [];
  },
  refuseLink: (path) => {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw Object.assign(new Error("A symbolic link stands where a folder should."), {
        code: "ELOOP",
      });
  },
  changedAt: (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs,
};

/** Makes a file whose bytes are on the disk when it resolves. Leaves nothing behind when it rejects. */
export async function writeDurably(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  const file = await disk.create(path);
  try {
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await ignoreFailure(disk.removeFile(path));
    throw error;
  }
}

/** Whether the system refused for one of these reasons. */
export function failedWith(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(String((error as NodeJS.ErrnoException | undefined)?.code));
}

/** For tidying up, which the next sweep does again. */
export async function ignoreFailure(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch {
    // What is left over is found by `sweep()`.
  }
}

/** Whether the work failed because what it needs is not there. */
export async function isGone(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return false;
  } catch (error) {
    if (failedWith(error, "ENOENT")) return true;
    throw error;
  }
}

/** What the work returns, unless what it looks for is not there. */
export function ifThere<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (failedWith(error, "ENOENT")) return undefined;
    throw error;
  }
}
