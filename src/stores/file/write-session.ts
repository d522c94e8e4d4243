import { dirname, join } from "node:path";
import { type Row, type SessionKey, UnknownOutcomeError } from "../../ledger/index.ts";
import {
  type BaseHeader,
  type CheckedFile,
  checksumOf,
  type CommitHeader,
  encodeFile,
  type EntryHeader,
} from "./checked-file.ts";
import { failedWith, ignoreFailure, isGone, writeDurably } from "./disk.ts";
import { SessionState } from "./session-state.ts";
import {
  baseName,
  entryName,
  generationName,
  newId,
  type Place,
  type StoreFolder,
} from "./store-folder.ts";

/**
 * Adds an entry behind what the state holds, and resolves when it is durable. `"lost"`: somebody else has written it, or the
 * generation is over, and nothing was written.
 *
 * The link is what decides: of all who link the same name the file system lets one, whatever they believe about each other and however
 * long they slept. A lock could not do that, since its holder may be frozen between looking at it and writing.
 */
export async function writeEntry(
  folder: StoreFolder,
  state: SessionState,
  entry: { readonly header: EntryHeader; readonly rows: readonly Row[] },
): Promise<"written" | "lost"> {
  const bytes = encodeFile(entry.header, entry.rows);
  const temporary = folder.newTemporary();
  await writeDurably(folder.disk, temporary, bytes);
  try {
    const { generation } = state.place;
    if (!(await linkAs(folder, temporary, { generation, seq: entry.header.seq }))) return "lost";
  } finally {
    await ignoreFailure(folder.disk.removeFile(temporary));
  }
  state.applyEntry({ ...entry, bytes: bytes.length, checksum: checksumOf(bytes) });
  return "written";
}

/** Whether the file is now the entry of this number, durably. */
export async function linkAs(
  { disk }: StoreFolder,
  file: string,
  { generation, seq }: { readonly generation: string; readonly seq: number },
): Promise<boolean> {
  try {
    await disk.link(file, join(generation, entryName(seq)));
  } catch (error) {
    if (failedWith(error, "EEXIST", "ENOENT")) return false;
    throw error;
  }
  try {
    // It may be gone meanwhile, but only when another one is on the disk that holds all of it.
    await isGone(disk.syncFolder(generation));
  } catch (error) {
    throw new UnknownOutcomeError(error);
  }
  return true;
}

/** Makes a session with its first commit. It appears whole, under a name that was free. */
export async function createSession(
  folder: StoreFolder,
  key: SessionKey,
  first: { readonly header: CommitHeader; readonly rows: readonly Row[] },
): Promise<SessionState | "lost"> {
  const session = folder.sessionOf(key);
  const temporary = folder.newTemporary();
  const path = join(newId(), generationName(1, newId()));
  const base = toBase(key, first);
  try {
    await prepare(folder, join(temporary, path), base);
    if (!(await moveInto(folder, temporary, session))) return "lost";
  } finally {
    await ignoreFailure(folder.disk.removeTree(temporary));
  }
  await rootSession(folder, session).catch((error: unknown) => {
    throw new UnknownOutcomeError(error);
  });
  const generation = join(session, path);
  const place: Place = { life: dirname(generation), generation, number: 1 };
  const state = new SessionState(key, place);
  state.applyBases([base.file]);
  return state;
}

/** Waits until the way from the root to the session is on the disk: another process may have made it and not have waited yet. */
export async function rootSession({ disk, sessions }: StoreFolder, session: string): Promise<void> {
  // Gone only when the session is, too.
  await isGone(disk.syncFolder(dirname(session)));
  await disk.syncFolder(sessions);
}

interface FirstBase {
  readonly bytes: Buffer;
  readonly file: CheckedFile<BaseHeader>;
}

function toBase(
  key: SessionKey,
  { header, rows }: { readonly header: CommitHeader; readonly rows: readonly Row[] },
): FirstBase {
  const base: BaseHeader = {
    type: "base",
    seq: header.seq,
    key: [key.scope.tenant, key.agent, key.sessionId],
    version: header.version,
    record: header.record,
    bases: [],
    drop: [],
    live: header.live,
    dead: 0,
  };
  const bytes = encodeFile(base, rows);
  return {
    bytes,
    file: { header: base, rows, bytes: bytes.length, checksum: checksumOf(bytes) },
  };
}

async function prepare(
  { disk }: StoreFolder,
  generation: string,
  { bytes, file }: FirstBase,
): Promise<void> {
  const life = dirname(generation);
  const session = dirname(life);
  for (const path of [session, life, generation]) await disk.makeFolder(path);
  await writeDurably(disk, join(generation, baseName(file.header.seq)), bytes);
  for (const path of [generation, life, session]) await disk.syncFolder(path);
}

async function moveInto(
  { disk }: StoreFolder,
  temporary: string,
  session: string,
): Promise<boolean> {
  try {
    await disk.makeFolder(dirname(session));
  } catch (error) {
    if (!failedWith(error, "EEXIST")) throw error;
  }
  try {
    await disk.rename(temporary, session);
    return true;
  } catch (error) {
    if (failedWith(error, "EEXIST", "ENOTEMPTY", "ENOENT")) return false;
    throw error;
  }
}
