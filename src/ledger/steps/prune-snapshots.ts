import type { ExpiringSnapshots, HeadRecord } from "../head-record.ts";
import type { SnapshotRetention } from "../retention.ts";
import {
  afterKey,
  answerPrefix,
  deltaKey,
  type KeyRange,
  placeOfDeltaKey,
  snapshotKey,
  underPrefix,
} from "../row-key.ts";
import { isContinuable, type Snapshot } from "../snapshot.ts";

export interface PrunedSnapshots {
  readonly removed: number;
  readonly drop: readonly KeyRange[];
  /** When the next snapshot may be old enough. */
  readonly nextAt?: number;
  /** With `keepLast`: what the next commits push out. */
  readonly expiring?: ExpiringSnapshots;
}

interface PruneOptions {
  readonly policy: SnapshotRetention;
  readonly now: number;
  /** Those that the same commit adds: they stay until the next one. */
  readonly added?: readonly Snapshot[];
}

// They live in the head record, which every step reads and writes.
const MAX_EXPIRING = 16;

/** Which of all the session's snapshots the policy lets go, with every delta that none of the others is folded from. */
export function pruneSnapshots(
  record: HeadRecord,
  snapshots: readonly Snapshot[],
  { policy, now, added = [] }: PruneOptions,
): PrunedSnapshots {
  const { keepLast, olderThanMs = 0 } = policy;
  const newest = record.rev - (keepLast ?? 0);
  const expiry = ({ updatedAt }: Snapshot): number => updatedAt + olderThanMs;
  const named = namedSnapshots(record);
  const isForked = forkCheck(snapshots);
  const isLoose = (snapshot: Snapshot): boolean =>
    snapshot.rev <= newest &&
    !named.has(snapshot.snapshotId) &&
    !added.includes(snapshot) &&
    !isForked(snapshot);
  const loose = snapshots.filter(isLoose);
  const expired = new Set(loose.filter((snapshot) => expiry(snapshot) <= now));
  const shown = shownBy(
    snapshots.filter((snapshot) => !expired.has(snapshot)),
    snapshots,
  );
  const gone = loose.filter((snapshot) => expired.has(snapshot) && !shown.has(snapshot));
  const waiting = loose.filter((snapshot) => !expired.has(snapshot)).map(expiry);
  const goneSet = new Set(gone);
  const kept = snapshots.filter((snapshot) => !goneSet.has(snapshot));
  // One that is due already, and stays only until the session moves on, has to be looked at again by the next commit.
  const inUse = new Set(snapshotsInUse(record));
  const isHeldForNow = kept.some(
    (snapshot) =>
      snapshot.rev <= newest && (inUse.has(snapshot.snapshotId) || added.includes(snapshot)),
  );
  // What becomes of one that others depend on, or of others when this one goes, is not known before its time: the next ones are known up to there.
  const isCertain = (snapshot: Snapshot): boolean =>
    snapshot.chain !== undefined && !shown.has(snapshot) && !isForked(snapshot);
  return {
    removed: gone.length,
    drop: [...gone.flatMap(({ snapshotId }) => rowsOf(snapshotId)), ...unusedDeltas(record, kept)],
    ...(waiting.length > 0 && { nextAt: Math.min(...waiting) }),
    ...(keepLast !== undefined &&
      !isHeldForNow && { expiring: nextToExpire(record.rev, kept, { keepLast, isCertain }) }),
  };
}

/** The rows that go with a snapshot. */
export function rowsOf(snapshotId: string): readonly KeyRange[] {
  const key = snapshotKey(snapshotId);
  return [[key, key], underPrefix(answerPrefix(snapshotId))];
}

/** The snapshots that the record itself needs: its head, what people named, and what turns build on. */
export function namedSnapshots(record: HeadRecord): ReadonlySet<string | null | undefined> {
  const labelled = record.labels.map(({ snapshotId }) => snapshotId);
  return new Set([...snapshotsInUse(record), ...record.pins, ...labelled]);
}

function snapshotsInUse({
  head,
  active,
  queue,
}: HeadRecord): readonly (string | null | undefined)[] {
  return [head, active?.lastRound, ...[active, ...queue].map((turn) => turn?.parentId)];
}

/** Whether several snapshots go on from one, or none does though it waits for an answer. An aborted turn, and what is saved inside of one, goes on from nothing. */
function forkCheck(snapshots: readonly Snapshot[]): (snapshot: Snapshot) => boolean {
  const children = new Map<string, number>();
  for (const snapshot of snapshots) {
    const { parentId } = snapshot;
    if (parentId === undefined || !isContinuable(snapshot) || snapshot.event) continue;
    children.set(parentId, (children.get(parentId) ?? 0) + 1);
  }
  return ({ snapshotId, finishReason }) => {
    const count = children.get(snapshotId) ?? 0;
    return count > 1 || (count === 0 && finishReason === "interrupted");
  };
}

/** The snapshots whose content others show, because those have none of their own. */
function shownBy(kept: readonly Snapshot[], snapshots: readonly Snapshot[]): ReadonlySet<Snapshot> {
  const byId = new Map(snapshots.map((snapshot) => [snapshot.snapshotId, snapshot]));
  const shown = new Set<Snapshot>();
  for (const snapshot of kept) {
    let at: Snapshot | undefined = snapshot;
    while (at !== undefined && at.chain === undefined) {
      at = at.parentId === undefined ? undefined : byId.get(at.parentId);
      if (at !== undefined) shown.add(at);
    }
  }
  return shown;
}

function nextToExpire(
  rev: number,
  kept: readonly Snapshot[],
  {
    keepLast,
    isCertain,
  }: { readonly keepLast: number; readonly isCertain: (snapshot: Snapshot) => boolean },
): ExpiringSnapshots {
  const first = Math.max(1, rev - keepLast + 1);
  const byRev = new Map(kept.map((snapshot) => [snapshot.rev, snapshot]));
  const ids: string[] = [];
  for (let at = first; at <= rev && ids.length < MAX_EXPIRING; at += 1) {
    const snapshot = byRev.get(at);
    if (snapshot && !isCertain(snapshot)) break;
    ids.push(snapshot?.snapshotId ?? "");
  }
  return { keepLast, first, ids };
}

// What lies between the stretches that are used. Their number is that of the stretches, however many deltas there are.
function unusedDeltas(
  { active, queue }: HeadRecord,
  kept: readonly Snapshot[],
): readonly KeyRange[] {
  const turns = [active, ...queue].map((turn) => turn?.progress);
  const used = [...kept, ...turns]
    .flatMap((one) => one?.chain ?? [])
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  const gaps: KeyRange[] = [];
  let from = "delta/";
  for (const [first, last] of used) {
    const { branch, ordinal } = placeOfDeltaKey(first);
    const before = deltaKey(branch, ordinal - 1);
    if (from < first && from <= before) gaps.push([from, before]);
    if (from <= last) from = afterKey(last);
  }
  gaps.push([from, "delta/~"]);
  return gaps;
}
