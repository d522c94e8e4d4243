import type { ExpiringSnapshots, HeadRecord } from "../head-record.ts";
import type { SnapshotRetention } from "../retention.ts";
import { type KeyRange, underPrefix } from "../row-key.ts";
import type { View } from "../session-store.ts";
import { isContinuable, type Snapshot } from "../snapshot.ts";
import { snapshotOfRow } from "../snapshot-row.ts";
import { type Change, livingRecord, type Step } from "../step.ts";
import { namedSnapshots, pruneSnapshots, rowsOf } from "./prune-snapshots.ts";

const SNAPSHOTS = underPrefix("snapshot/");

/**
 * Enforces `keepLast` in the commit of any step that adds snapshots. As a rule it drops by name what the added ones push out, so that a commit
 * costs the same however long the session is; now and then it looks at all snapshots, which also finds deltas that nothing uses any more.
 */
export function keepingLast<Answer>(
  step: Step<Answer>,
  policy: SnapshotRetention | undefined,
): Step<Answer> {
  // With an age as well, a snapshot goes when its time comes: that is for the sweep.
  const keepLast = policy?.olderThanMs === undefined ? policy?.keepLast : undefined;
  const { adds } = step;
  if (keepLast === undefined || adds === undefined) return step;
  const mustLook = (stored: HeadRecord | null): boolean => {
    const record = livingRecord(stored);
    return record !== null && !isPlanned(record, { keepLast, adds: adds(record) });
  };
  return {
    want: (record) => {
      const want = step.want(record);
      if (!mustLook(record)) return want;
      return { ...want, ranges: [...(want.ranges ?? []), SNAPSHOTS] };
    },
    decide: (view) => {
      const decision = step.decide(view);
      const { change } = decision;
      const added = change === undefined ? [] : addedBy(change);
      if (change === undefined || change.record === null || added.length === 0) return decision;
      const prune = mustLook(view.record) ? look : slide;
      const pruned = prune(view, { record: change.record, added, keepLast });
      return { ...decision, change: withPruned(change, change.record, pruned) };
    },
    seen: step.seen,
  };
}

/** Whether it is known by name what so many more snapshots push out. */
function isPlanned(
  { rev, expiring }: HeadRecord,
  { keepLast, adds }: { readonly keepLast: number; readonly adds: number },
): boolean {
  const last = rev + adds - keepLast;
  if (adds === 0 || last < 1) return true;
  if (expiring?.keepLast !== keepLast) return false;
  const { first, ids } = expiring;
  return first === Math.max(1, rev - keepLast + 1) && last < first + ids.length;
}

function addedBy({ put = [] }: Change): readonly Snapshot[] {
  return put.filter(({ key }) => key.startsWith("snapshot/")).map(snapshotOfRow);
}

function withPruned(change: Change, record: HeadRecord, { drop, expiring }: Pruning): Change {
  const dropped = change.drop === "all" ? "all" : [...(change.drop ?? []), ...drop];
  return { ...change, record: { ...record, expiring }, drop: dropped };
}

interface Added {
  readonly record: HeadRecord;
  readonly added: readonly Snapshot[];
  readonly keepLast: number;
}

interface Pruning {
  readonly drop: readonly KeyRange[];
  readonly expiring?: ExpiringSnapshots | undefined;
}

function look(view: View, { record, added, keepLast }: Added): Pruning {
  const there = [...view.rows]
    .filter(([key]) => key.startsWith("snapshot/"))
    .map(([key, value]) => snapshotOfRow({ key, value }));
  const options = { policy: { keepLast }, now: view.now, added };
  return pruneSnapshots(record, [...there, ...added], options);
}

function slide(view: View, { record, added, keepLast }: Added): Pruning {
  const planned = record.expiring?.keepLast === keepLast ? record.expiring : undefined;
  const { first, ids } = planned ?? { first: 1, ids: [] };
  const forked = forkedBy(livingRecord(view.record), added);
  const pushedOut = ids.slice(0, Math.max(0, record.rev - keepLast - first + 1));
  const named = namedSnapshots(record);
  const isHeld = (id: string): boolean => named.has(id) || forked.has(id);
  // What is held now may be let go later, and what others depend on is not certain to go: then the next commit looks.
  const isSure = forked.size === 0 && !pushedOut.some(isHeld);
  const rest = { keepLast, first: first + pushedOut.length, ids: ids.slice(pushedOut.length) };
  return {
    drop: pushedOut.filter((id) => id !== "" && !isHeld(id)).flatMap(rowsOf),
    expiring: isSure && planned ? rest : undefined,
  };
}

/** The snapshots that got a second branch, or that an aborted turn shows. */
function forkedBy(
  before: HeadRecord | null,
  added: readonly Snapshot[],
): ReadonlySet<string | null> {
  const isFork = (snapshot: Snapshot): boolean =>
    snapshot.chain === undefined ||
    (isContinuable(snapshot) && !snapshot.event && (snapshot.parentId ?? null) !== before?.head);
  const forks = added.filter(isFork);
  return new Set(forks.map(({ parentId }) => parentId ?? null));
}
