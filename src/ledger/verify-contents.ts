import { type ContentHash, hashContent, sameHash } from "./content-hash.ts";
import type { Damage } from "./damage.ts";
import { deltaKey, type KeyRange, placeOfDeltaKey, snapshotKey } from "./row-key.ts";
import { EMPTY_CONTENT, type SessionContent } from "./session-content.ts";
import type { Snapshot } from "./snapshot.ts";
import { foldDeltas, type SnapshotDelta } from "./snapshot-delta.ts";

export interface StoredDeltas {
  readonly deltas: ReadonlyMap<string, SnapshotDelta>;
  /** Rows that are there but cannot be read. */
  readonly unreadable: ReadonlySet<string>;
}

/** The last snapshot of a branch that was found sound. */
interface Sound {
  readonly chain: readonly KeyRange[];
  readonly content: SessionContent;
  readonly hash: ContentHash;
}

const MISMATCH = "does not match the snapshot's hash: it or the snapshot's row was altered";

/** Folds every snapshot's content and holds it against its hash. A long branch is folded once, not once for each snapshot. */
export function verifyContents(
  snapshots: readonly Snapshot[],
  stored: StoredDeltas,
): readonly Damage[] {
  const damages: Damage[] = [];
  const sound = new Map<number, Sound>();
  // The first row that a branch's last mismatches may all come from.
  const suspects = new Map<number, string>();
  for (const snapshot of snapshots.toSorted((left, right) => left.rev - right.rev)) {
    const { snapshotId, chain } = snapshot;
    if (chain === undefined) continue;
    const branch = placeOfDeltaKey(chain.at(-1)?.[1] ?? "").branch;
    const base = baseOf(chain, sound.get(branch));
    const added = addedRows(chain, base);
    const damage = missingRow(added, stored);
    const content = damage ? undefined : soundContent(snapshot, { added, base, stored });
    if (content) {
      sound.set(branch, { chain, content, hash: snapshot.hash ?? {} });
      suspects.delete(branch);
      continue;
    }
    // Where nothing was added only the snapshot's own row can be wrong.
    const suspect = suspects.get(branch) ?? added.at(-1) ?? snapshotKey(snapshotId);
    suspects.set(branch, suspect);
    damages.push({ ...(damage ?? { row: suspect, problem: MISMATCH }), snapshotId });
  }
  const blamed = new Set(damages.map(({ row }) => row));
  const others = [...stored.unreadable].filter((row) => !blamed.has(row));
  return [...damages, ...others.map((row) => ({ row, problem: "cannot be read" }))];
}

function missingRow(
  rows: readonly string[],
  { deltas, unreadable }: StoredDeltas,
): Damage | undefined {
  const row = rows.find((key) => !deltas.has(key));
  if (row === undefined) return undefined;
  return { row, problem: unreadable.has(row) ? "cannot be read" : "is missing" };
}

/** What the rows add up to, if that is what the snapshot's hash says. */
function soundContent(
  { hash = {} }: Snapshot,
  rows: {
    readonly added: readonly string[];
    readonly base: Sound | undefined;
    readonly stored: StoredDeltas;
  },
): SessionContent | undefined {
  const { added, base, stored } = rows;
  const deltas = added.flatMap((row) => stored.deltas.get(row) ?? []);
  try {
    const content = foldDeltas(deltas, base?.content ?? EMPTY_CONTENT);
    return sameHash(hashOf(content, base), hash) ? content : undefined;
  } catch {
    return undefined;
  }
}

// Only if the chain begins as that of the base does, and goes on from its end on the same branch.
function baseOf(chain: readonly KeyRange[], base: Sound | undefined): Sound | undefined {
  if (base === undefined || base.chain.length !== chain.length) return undefined;
  const isSame = base.chain.every(([from, to], index) => {
    const [start, end] = chain[index]!;
    const isLast = index === chain.length - 1;
    return from === start && (isLast ? to <= end : to === end);
  });
  return isSame ? base : undefined;
}

function hashOf(content: SessionContent, base: Sound | undefined): ContentHash {
  if (base === undefined) return hashContent(content);
  const { messages } = base.content;
  const keptMessages = content.messages.beginsWith(messages) ? messages.length : 0;
  return hashContent(content, { content: base.content, hash: base.hash, keptMessages });
}

// Those behind the end of the base, which are on its branch; all, where there is none.
function addedRows(chain: readonly KeyRange[], base: Sound | undefined): readonly string[] {
  const last = base?.chain.at(-1)?.[1];
  const end = chain.at(-1)?.[1];
  if (last === undefined || end === undefined) return chain.flatMap(keysOf);
  return keysOf([last, end]).slice(1);
}

function keysOf([from, to]: KeyRange): readonly string[] {
  const { branch, ordinal: first } = placeOfDeltaKey(from);
  const { ordinal: last } = placeOfDeltaKey(to);
  return Array.from({ length: last - first + 1 }, (_, index) => deltaKey(branch, first + index));
}
