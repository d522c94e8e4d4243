import { join } from "node:path";
import type { SessionKey } from "../../ledger/index.ts";
import {
  type BaseHeader,
  type BaseRef,
  type CheckedFile,
  decodeBase,
  decodeEntry,
  type EntryHeader,
} from "./checked-file.ts";
import { failedWith, ifThere, isGone } from "./disk.ts";
import { install, retireLife } from "./generations.ts";
import { SessionState } from "./session-state.ts";
import { baseName, entryName, numbersOf, type Place, type StoreFolder } from "./store-folder.ts";
import { damaged } from "./to-store-error.ts";

// Each time another process has to have finished a generation in between.
const MAX_ATTEMPTS = 20;

/**
 * Reads a session from its files.
 *
 * @throws TurnkeepError DATA_LOSS when a file is damaged or missing.
 */
export async function readSession(
  folder: StoreFolder,
  key: SessionKey,
): Promise<SessionState | undefined> {
  const session = folder.sessionOf(key);
  let cause: unknown;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const place = folder.locate(session);
    // A life that ended between two looks is no reason to say that there is no session: the next one may be there.
    if (place === undefined && folder.disk.names(session).length === 0) return undefined;
    if (place === undefined) continue;
    try {
      const state = await catchUp(folder, readGeneration(folder, key, place));
      if (state !== "moved") return state;
    } catch (error) {
      // Files of a generation that is being retired go missing; in one that stays, none may.
      if (!failedWith(error, "ENOENT") || folder.isThere(place.generation)) throw lost(error);
      cause = error;
    }
  }
  throw damaged(cause);
}

/**
 * Applies what was written since. `undefined`: the session was forgotten. `"moved"`: its generation is gone, read it anew.
 *
 * Safe without a lock, because nothing is ever removed from a generation that still has its name: when the next entry is not there and
 * the generation still is, the state is the newest at the moment of looking.
 */
export async function catchUp(
  folder: StoreFolder,
  state: SessionState,
): Promise<SessionState | "moved" | undefined> {
  let isNew = false;
  for (;;) {
    const entry = readEntry(folder, state.place, state.seq + 1);
    if (entry === undefined) break;
    isNew = true;
    if (entry.header.type === "end") {
      await retireLife(folder, state.place.life);
      return undefined;
    }
    if (entry.header.type !== "seal") state.applyEntry(entry);
    else if (!(await follow(folder, state, entry.header.next))) return "moved";
  }
  if (!folder.isThere(state.place.generation)) return "moved";
  // Whoever wrote it may still be waiting for the disk, and whoever reads it may act on it.
  return isNew && (await isGone(folder.disk.syncFolder(state.place.generation))) ? "moved" : state;
}

function readEntry(
  folder: StoreFolder,
  place: Place,
  seq: number,
): CheckedFile<EntryHeader> | undefined {
  const bytes = ifThere(() => folder.disk.read(join(place.generation, entryName(seq))));
  if (bytes === undefined) return undefined;
  const file = decodeEntry(bytes);
  if (file.header.seq !== seq) throw damaged();
  return file;
}

function readBase(folder: StoreFolder, place: Place, seq: number): CheckedFile<BaseHeader> {
  const file = decodeBase(folder.disk.read(join(place.generation, baseName(seq))));
  if (file.header.seq !== seq) throw damaged();
  return file;
}

/** The rows of a base that a newer one counts on. */
export function readOlderBase(
  folder: StoreFolder,
  place: Place,
  { seq, checksum }: BaseRef,
): CheckedFile<BaseHeader> {
  const file = readBase(folder, place, seq);
  if (file.checksum !== checksum) throw damaged();
  return file;
}

function readGeneration(folder: StoreFolder, key: SessionKey, place: Place): SessionState {
  const names = folder.disk.names(place.generation);
  const newest = readBase(folder, place, numbersOf(names, "base").at(-1) ?? 0);
  checkName(key, newest.header);
  const entries = numbersOf(names, "entry").filter((seq) => seq > newest.header.seq);
  if (entries.some((seq, index) => seq !== newest.header.seq + 1 + index)) throw damaged();
  const older = newest.header.bases.map((base) => readOlderBase(folder, place, base));
  const state = new SessionState(key, place);
  state.applyBases([...older, newest]);
  return state;
}

function checkName(key: SessionKey, { key: [tenant, agent, sessionId] }: BaseHeader): void {
  const isSame = key.scope.tenant === tenant && key.agent === agent && key.sessionId === sessionId;
  if (!isSame) throw damaged();
}

/** Goes on to the next generation, which holds the same. Whoever sealed the one before may not have come to putting it in its place. */
async function follow(folder: StoreFolder, state: SessionState, id: string): Promise<boolean> {
  const place = await install(folder, state.place, id);
  if (!folder.isThere(place.generation)) return false;
  const base = ifThere(() => readBase(folder, place, state.seq));
  if (base !== undefined) state.startGeneration(place, base);
  return base !== undefined;
}

function lost(error: unknown): unknown {
  return failedWith(error, "ENOENT") ? damaged(error) : error;
}
