import { basename, join } from "node:path";
import { type KeyRange, type Row, UnknownOutcomeError } from "../../ledger/index.ts";
import { MemoryRows } from "../memory-rows.ts";
import { type BaseHeader, type BaseRef, checksumOf, encodeFile } from "./checked-file.ts";
import { ignoreFailure, writeDurably } from "./disk.ts";
import { bury, install, retireLife, SEAL } from "./generations.ts";
import { readOlderBase } from "./read-session.ts";
import type { SessionState } from "./session-state.ts";
import { baseName, type StoreFolder } from "./store-folder.ts";
import { linkAs, writeEntry } from "./write-session.ts";

/** So many entries may stand behind the base; reading a session opens little more files than that. */
const MAX_TAIL = 32;
/** An earlier base is written anew only into one at least half its size, so a row is moved a logarithmic number of times. */
const MERGE_FACTOR = 2;
/** A sweep writes a session anew when a quarter as much was dropped from it as is in it. */
const DEAD_SHARE = 4;

/** Whether it is time to fold the tail, or to take away what a forgotten session left. */
export function isLongTailed({ tail, record }: SessionState): boolean {
  return tail.count >= MAX_TAIL || record === null;
}

/** Whether a sweep should take away what was dropped. */
export function isHalfDead({
  live,
  dead,
}: {
  readonly live: number;
  readonly dead: number;
}): boolean {
  return dead > 0 && dead * DEAD_SHARE >= live;
}

/**
 * Folds the tail into a new base, in a new generation. Earlier bases that are much larger are taken over by a link, without copying.
 * With `isWhole` nothing is taken over, and nothing of what was dropped is left.
 *
 * The new generation is complete and durable before a seal, which is an entry like any other, closes the old one; so nobody has
 * to wait for anybody, and whoever is interrupted leaves either the old generation open or the new one in force. When another
 * writer was faster than the seal, nothing happens.
 */
export async function compactSession(
  folder: StoreFolder,
  state: SessionState,
  { isWhole }: { readonly isWhole: boolean },
): Promise<void> {
  if (state.record === null) return endLife(folder, state);
  const { place } = state;
  const kept = isWhole ? [] : basesToKeep(state);
  const { rows, drop } = foldRows(folder, state, kept);
  const { key, seq, version, record, live } = state;
  const header: BaseHeader = {
    type: "base",
    seq,
    key: [key.scope.tenant, key.agent, key.sessionId],
    version,
    record,
    bases: kept,
    drop,
    live,
    dead: kept.length === 0 ? 0 : state.dead,
  };
  const base = encodeFile(header, rows);
  const prepared = folder.newTemporary();
  if (!(await putInForce(folder, prepared, { state, base, kept }))) return;
  const next = await install(folder, place, basename(prepared));
  await folder.disk.syncFolder(place.life);
  state.startGeneration(next, {
    header,
    rows: [],
    bytes: base.length,
    checksum: checksumOf(base),
  });
  await ignoreFailure(folder.disk.removeFile(join(next.generation, SEAL)));
  // The last one stays for a while, so that other processes, which are behind, need not read everything anew.
  await retireBefore(folder, next.life, isWhole ? next.number : place.number);
}

/** Takes away the generations below this number, all of which are sealed. */
export async function retireBefore(
  folder: StoreFolder,
  life: string,
  number: number,
): Promise<void> {
  for (const older of folder.generationsOf(life))
    if (older.number < number) await ignoreFailure(bury(folder, older.generation));
}

interface Preparation {
  readonly state: SessionState;
  readonly base: Buffer;
  readonly kept: readonly BaseRef[];
}

/** Whether the seal was the next entry. */
async function putInForce(
  folder: StoreFolder,
  prepared: string,
  preparation: Preparation,
): Promise<boolean> {
  const { place, seq } = preparation.state;
  const discard = (): Promise<void> => ignoreFailure(folder.disk.removeTree(prepared));
  try {
    await prepare(folder, prepared, preparation);
    const isSealed = await linkAs(folder, join(prepared, SEAL), {
      generation: place.generation,
      seq: seq + 1,
    });
    if (!isSealed) await discard();
    return isSealed;
  } catch (error) {
    // When nobody knows whether the seal is on the disk, what it names has to stay.
    if (!UnknownOutcomeError.is(error)) await discard();
    throw error;
  }
}

async function prepare(
  { disk, temporary }: StoreFolder,
  prepared: string,
  { state, base, kept }: Preparation,
): Promise<void> {
  await disk.makeFolder(prepared);
  for (const { seq } of kept)
    await disk.link(join(state.place.generation, baseName(seq)), join(prepared, baseName(seq)));
  await writeDurably(disk, join(prepared, baseName(state.seq)), base);
  const seal = encodeFile({ type: "seal", seq: state.seq + 1, next: basename(prepared) }, []);
  await writeDurably(disk, join(prepared, SEAL), seal);
  await disk.syncFolder(prepared);
  await disk.syncFolder(temporary);
}

function basesToKeep({ bases, tail }: SessionState): readonly BaseRef[] {
  const kept = [...bases];
  let bytes = tail.bytes;
  for (let last = kept.at(-1); last !== undefined; last = kept.at(-1)) {
    if (last.bytes > MERGE_FACTOR * bytes) break;
    bytes += last.bytes;
    kept.pop();
  }
  return kept;
}

/** The rows behind the bases that are kept, and what they take away from those. */
function foldRows(
  folder: StoreFolder,
  state: SessionState,
  kept: readonly BaseRef[],
): { readonly rows: Iterable<Row>; readonly drop: readonly KeyRange[] } {
  if (kept.length === 0) return { rows: toRows(state.rows), drop: [] };
  const rows = new MemoryRows();
  const drop: KeyRange[] = [];
  const merged = state.bases.slice(kept.length);
  for (const file of merged.map((base) => readOlderBase(folder, state.place, base))) {
    rows.drop(file.header.drop);
    drop.push(...file.header.drop);
    for (const row of file.rows) rows.insert(row);
  }
  rows.drop(state.tail.drop);
  drop.push(...state.tail.drop);
  for (const row of toRows(state.tail.rows)) rows.insert(row);
  return { rows: toRows(rows), drop };
}

function* toRows(entries: Iterable<readonly [string, string]>): Generator<Row, void> {
  for (const [key, value] of entries) yield { key, value };
}

async function endLife(folder: StoreFolder, state: SessionState): Promise<void> {
  const header = { type: "end", seq: state.seq + 1 } as const;
  const outcome = await writeEntry(folder, state, { header, rows: [] });
  if (outcome === "written") await retireLife(folder, state.place.life);
}
