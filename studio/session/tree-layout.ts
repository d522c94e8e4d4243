import type { SnapshotMeta } from "../api/types.ts";

/** A snapshot with its place among the lanes. */
export interface TreeRow {
  readonly snapshot: SnapshotMeta;
  readonly lane: number;
  readonly depth: number;
  /** The lanes that pass by, above and below this row. */
  readonly above: readonly number[];
  readonly below: readonly number[];
  /** The lanes that end here: branches that began at this snapshot. */
  readonly joins: readonly number[];
  readonly isRoot: boolean;
}

export interface TreeLayout {
  readonly rows: readonly TreeRow[];
  readonly lanes: number;
}

/** The newest first. A lane runs from a leaf down to where its branch began. */
export function layOut(snapshots: readonly SnapshotMeta[]): TreeLayout {
  const known = new Set(snapshots.map(({ snapshotId }) => snapshotId));
  const depths = depthsOf(snapshots);
  // The lanes that wait for a snapshot, going back in time.
  const waiting = new Map<string, number[]>();
  // In order; the same list for as long as it stays the same, since most rows change nothing.
  let taken: readonly number[] = [];
  let lanes = 0;
  const rows = snapshots.toReversed().map((snapshot): TreeRow => {
    const { snapshotId, parentId } = snapshot;
    const above = taken;
    const mine = (waiting.get(snapshotId) ?? []).toSorted((one, other) => one - other);
    const lane = mine[0] ?? freeLane(above);
    const hasParent = parentId !== undefined && known.has(parentId);
    if (hasParent) waiting.set(parentId, [...(waiting.get(parentId) ?? []), lane]);
    taken = lanesAfter(above, { lane, mine, goesOn: hasParent });
    lanes = Math.max(lanes, lane + 1);
    return {
      snapshot,
      lane,
      depth: depths.get(snapshotId) ?? 1,
      above,
      below: taken,
      joins: mine.slice(1),
      isRoot: !hasParent,
    };
  });
  return { rows, lanes };
}

function lanesAfter(
  above: readonly number[],
  {
    lane,
    mine,
    goesOn,
  }: { readonly lane: number; readonly mine: readonly number[]; readonly goesOn: boolean },
): readonly number[] {
  if (goesOn && mine.length === 1) return above;
  const others = mine.length === 0 ? above : above.filter((one) => !mine.includes(one));
  if (!goesOn) return others;
  const behind = others.findIndex((one) => one > lane);
  return others.toSpliced(behind < 0 ? others.length : behind, 0, lane);
}

// The first that is not among them.
function freeLane(taken: readonly number[]): number {
  const free = taken.findIndex((lane, place) => lane !== place);
  return free < 0 ? taken.length : free;
}

// Parents come before their children.
function depthsOf(snapshots: readonly SnapshotMeta[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const { snapshotId, parentId } of snapshots) {
    depths.set(snapshotId, (depths.get(parentId ?? "") ?? 0) + 1);
  }
  return depths;
}
