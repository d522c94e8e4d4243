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

/** The newest first. A lane runs from a leaf down to where its branch began. Takes as long as there are snapshots and lanes. */
export function layOut(snapshots: readonly SnapshotMeta[]): TreeLayout {
  const known = new Set(snapshots.map(({ snapshotId }) => snapshotId));
  const depths = depthsOf(snapshots);
  // What each lane waits for, going back in time.
  const waiting: (string | undefined)[] = [];
  let lanes = 0;
  const rows = snapshots.toReversed().map((snapshot): TreeRow => {
    const { snapshotId, parentId } = snapshot;
    const above = taken(waiting);
    const mine = above.filter((lane) => waiting[lane] === snapshotId);
    const lane = mine[0] ?? freeLane(waiting);
    for (const one of mine) waiting[one] = undefined;
    const hasParent = parentId !== undefined && known.has(parentId);
    waiting[lane] = hasParent ? parentId : undefined;
    lanes = Math.max(lanes, lane + 1);
    return {
      snapshot,
      lane,
      depth: depths.get(snapshotId) ?? 1,
      above,
      below: taken(waiting),
      joins: mine.slice(1),
      isRoot: !hasParent,
    };
  });
  return { rows, lanes };
}

function taken(waiting: readonly (string | undefined)[]): readonly number[] {
  return waiting.flatMap((id, lane) => (id === undefined ? [] : [lane]));
}

function freeLane(waiting: readonly (string | undefined)[]): number {
  const free = waiting.indexOf(undefined);
  return free < 0 ? waiting.length : free;
}

// Parents come before their children.
function depthsOf(snapshots: readonly SnapshotMeta[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const { snapshotId, parentId } of snapshots) {
    depths.set(snapshotId, (depths.get(parentId ?? "") ?? 0) + 1);
  }
  return depths;
}
