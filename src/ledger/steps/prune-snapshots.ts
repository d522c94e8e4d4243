import type { HeadRecord } from "../head-record.ts";
import type { SnapshotRetention } from "../retention.ts";
import {
  answerPrefix,
  deltaKey,
  type KeyRange,
  placeOfDeltaKey,
  snapshotKey,
  underPrefix,
} from "../row-key.ts";
import type { Snapshot } from "../snapshot.ts";

export interface PrunedSnapshots {
  readonly removed: number;
  readonly drop: readonly KeyRange[];
  /** When the next snapshot may be old enough. */
  readonly nextAt?: number;
}

/** Which snapshots the policy lets go, with the deltas that no other snapshot is folded from. */
export function pruneSnapshots(
  record: HeadRecord,
  snapshots: readonly Snapshot[],
  { policy, now }: { readonly policy: SnapshotRetention; readonly now: number },
): PrunedSnapshots {
  const { keepLast, olderThanMs } = policy;
  if (keepLast === undefined && olderThanMs === undefined) return { removed: 0, drop: [] };
  const protectedIds = protectedSnapshots(record, snapshots);
  const rank = new Map(
    snapshots.toSorted((a, b) => b.rev - a.rev).map(({ snapshotId }, index) => [snapshotId, index]),
  );
  const loose = snapshots.filter(
    ({ snapshotId }) =>
      !protectedIds.has(snapshotId) && (rank.get(snapshotId) ?? 0) >= (keepLast ?? 0),
  );
  const expiry = ({ updatedAt }: Snapshot): number => updatedAt + (olderThanMs ?? 0);
  const gone = new Set(loose.filter((snapshot) => expiry(snapshot) <= now));
  const waiting = loose.filter((snapshot) => !gone.has(snapshot)).map(expiry);
  const kept = snapshots.filter((snapshot) => !gone.has(snapshot));
  return {
    removed: gone.size,
    drop: [
      ...[...gone].flatMap(({ snapshotId }): readonly KeyRange[] => [
        [snapshotKey(snapshotId), snapshotKey(snapshotId)],
        underPrefix(answerPrefix(snapshotId)),
      ]),
      ...unusedDeltas([...gone], kept),
    ],
    ...(waiting.length > 0 && { nextAt: Math.min(...waiting) }),
  };
}

function protectedSnapshots(
  record: HeadRecord,
  snapshots: readonly Snapshot[],
): ReadonlySet<string> {
  const children = new Map<string, number>();
  for (const { parentId } of snapshots) {
    if (parentId !== undefined) children.set(parentId, (children.get(parentId) ?? 0) + 1);
  }
  const named = [
    record.head,
    ...record.pins,
    ...record.labels.map(({ snapshotId }) => snapshotId),
    ...[record.active, ...record.queue].map((turn) => turn?.parentId),
  ];
  const structural = snapshots
    .filter(({ snapshotId, finishReason }) => {
      const count = children.get(snapshotId) ?? 0;
      return count > 1 || (count === 0 && finishReason === "interrupted");
    })
    .map(({ snapshotId }) => snapshotId);
  return new Set([...named, ...structural].filter((id) => id !== null && id !== undefined));
}

function unusedDeltas(gone: readonly Snapshot[], kept: readonly Snapshot[]): readonly KeyRange[] {
  const used = kept.flatMap(({ chain }) => (chain ?? []).map(stretchOf));
  const candidates = new Set(
    gone
      .flatMap(({ chain }) => (chain ?? []).map(stretchOf))
      .flatMap((stretch) => keysOf(stretch, used)),
  );
  return [...candidates].map((key): KeyRange => [key, key]);
}

/** A run of deltas on one branch. */
interface Stretch {
  readonly branch: number;
  readonly first: number;
  readonly last: number;
}

function stretchOf([from, to]: KeyRange): Stretch {
  const { branch, ordinal } = placeOfDeltaKey(from);
  return { branch, first: ordinal, last: placeOfDeltaKey(to).ordinal };
}

function keysOf({ branch, first, last }: Stretch, used: readonly Stretch[]): readonly string[] {
  const rivals = used.filter((stretch) => stretch.branch === branch);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    .filter((ordinal) => !rivals.some((rival) => rival.first <= ordinal && ordinal <= rival.last))
    .map((ordinal) => deltaKey(branch, ordinal));
}
