import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { createScope, createSessionKey, type SessionKey, systemClock } from "../../ledger/index.ts";
import { decodeBase } from "./checked-file.ts";
import { retireBefore } from "./compact-session.ts";
import { ignoreFailure, isGone } from "./disk.ts";
import { SETTLED_MS } from "./due-index.ts";
import { bury, SEAL } from "./generations.ts";
import { readSession } from "./read-session.ts";
import { baseName, isDead, numbersOf, type Place, type StoreFolder } from "./store-folder.ts";

/** Nobody takes so long between making a temporary file and using it, unless it was stopped; then it makes another one. */
const ABANDONED_MS = 15 * 60_000;
const AT_ONCE = 100;

/** Takes away what killed processes have left behind. */
export async function sweepTemporary(folder: StoreFolder): Promise<void> {
  const { disk, temporary } = folder;
  for (const name of disk.names(temporary)) {
    const path = join(temporary, name);
    const changedAt = disk.changedAt(path) ?? Infinity;
    if (isDead(name)) await disk.removeTree(path);
    else if (changedAt < systemClock.now() - ABANDONED_MS) await abandon(folder, path);
  }
}

/** Takes away the generations before this one, which other processes have had time to leave. */
export async function sweepLife(folder: StoreFolder, { life, number }: Place): Promise<void> {
  if (folder.generationsOf(life).length < 2) return;
  if (!(await isGone(folder.disk.syncFolder(life)))) await retireBefore(folder, life, number);
}

/**
 * Takes away folders with nothing in them. Whoever needs one makes it again, but a tenant or a minute that somebody has just made is
 * left to be filled: a process that sweeps without a pause would take it away every time.
 */
export async function sweepEmpty({ disk, due, sessions }: StoreFolder): Promise<void> {
  const below = (path: string): readonly string[] =>
    disk.names(path).map((name) => join(path, name));
  const isSettled = (path: string): boolean =>
    (disk.changedAt(path) ?? Infinity) < systemClock.now() - SETTLED_MS;
  const tenants = below(sessions);
  const minutes = below(due).flatMap(below);
  const made = [...tenants, ...minutes].filter(isSettled);
  for (const path of [...tenants.flatMap(below), ...made])
    await ignoreFailure(disk.removeFolder(path));
}

/** The folders of all sessions there are, with a pause now and then for others. */
export async function* everySession({ disk, sessions }: StoreFolder): AsyncGenerator<string, void> {
  let count = 0;
  for (const tenant of disk.names(sessions)) {
    for (const session of disk.names(join(sessions, tenant))) {
      yield join(sessions, tenant, session);
      count += 1;
      if (count % AT_ONCE === 0) await setImmediate();
    }
  }
}

/**
 * A generation that was prepared may have been sealed by a process that was stopped before it could put it in its place. So it is made
 * impossible to seal it from now on, and then the session is read, which puts a sealed one in its place.
 */
async function abandon(folder: StoreFolder, path: string): Promise<void> {
  await ignoreFailure(folder.disk.removeFile(join(path, SEAL)));
  const key = keyOfPrepared(folder, path);
  if (key !== undefined) await readSession(folder, key);
  await bury(folder, path);
}

/** The session that a generation was prepared for. One that was not written to its end was not sealed either. */
function keyOfPrepared(folder: StoreFolder, path: string): SessionKey | undefined {
  const base = numbersOf(namesIn(folder, path), "base").at(-1);
  if (base === undefined) return undefined;
  try {
    const { key } = decodeBase(folder.disk.read(join(path, baseName(base)))).header;
    return createSessionKey(createScope(key[0]), key[1], key[2]);
  } catch {
    return undefined;
  }
}

function namesIn({ disk }: StoreFolder, path: string): readonly string[] {
  try {
    return disk.names(path);
  } catch {
    // A file.
    return [];
  }
}
