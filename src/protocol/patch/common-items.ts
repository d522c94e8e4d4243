import type { Json } from "../json.ts";
import { jsonEqual } from "./json-equal.ts";

/** An item both arrays hold, by its index in each. */
export type CommonItem = { readonly before: number; readonly after: number };

// Effort grows with the square of this. Past it the arrays have little in common and are compared index by index.
const MAX_EDITS = 128;

/**
 * The longest run of items, in order but not side by side, that both arrays hold; none when they differ in more than
 * 128 items. The method is Myers' greedy search: "An O(ND) Difference Algorithm", 1986.
 */
export function findCommonItems(
  before: readonly Json[],
  after: readonly Json[],
): readonly CommonItem[] {
  if (before.length === 0 || after.length === 0) return [];
  if (Math.abs(before.length - after.length) > MAX_EDITS) return [];
  const rounds = searchRounds(before, after);
  return rounds === undefined ? [] : walkBack(rounds, before.length, after.length);
}

/**
 * How far each diagonal (index before minus index after) gets. Diagonals may be negative, hence the offset.
 * Entry n is the state before the round that spends the n-th edit.
 */
type Reach = Int32Array;
const OFFSET = MAX_EDITS + 1;

function searchRounds(before: readonly Json[], after: readonly Json[]): Reach[] | undefined {
  const reach: Reach = new Int32Array(2 * OFFSET + 1);
  const rounds: Reach[] = [];
  for (let edits = 0; edits <= MAX_EDITS; edits += 1) {
    rounds.push(reach.slice());
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const entry = entryDiagonal(reach, diagonal, edits);
      let index = reachOf(reach, entry) + (entry < diagonal ? 1 : 0);
      index += equalRun(before, after, { before: index, after: index - diagonal });
      reach[diagonal + OFFSET] = index;
      if (index >= before.length && index - diagonal >= after.length) return rounds;
    }
  }
  return undefined;
}

/** The diagonal from which the last edit came: one above for an addition, one below for a removal. */
function entryDiagonal(reach: Reach, diagonal: number, edits: number): number {
  const down = reachOf(reach, diagonal - 1) < reachOf(reach, diagonal + 1);
  const added = diagonal === -edits || (diagonal !== edits && down);
  return added ? diagonal + 1 : diagonal - 1;
}

function equalRun(before: readonly Json[], after: readonly Json[], start: CommonItem): number {
  const most = Math.min(before.length - start.before, after.length - start.after);
  let count = 0;
  while (count < most && jsonEqual(before[start.before + count], after[start.after + count])) {
    count += 1;
  }
  return count;
}

function walkBack(rounds: readonly Reach[], lastBefore: number, lastAfter: number): CommonItem[] {
  const common: CommonItem[] = [];
  let position: CommonItem = { before: lastBefore, after: lastAfter };
  for (const [edits, reach] of [...rounds.entries()].toReversed()) {
    const entry = entryDiagonal(reach, position.before - position.after, edits);
    const before = reachOf(reach, entry);
    const origin: CommonItem = { before, after: before - entry };
    while (position.before > origin.before && position.after > origin.after) {
      position = { before: position.before - 1, after: position.after - 1 };
      common.push(position);
    }
    position = origin;
  }
  return common.toReversed();
}

function reachOf(reach: Reach, diagonal: number): number {
  return reach[diagonal + OFFSET] ?? 0;
}
