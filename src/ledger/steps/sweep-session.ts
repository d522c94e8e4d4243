import type { HeadRecord } from "../head-record.ts";
import type { Retention } from "../retention.ts";
import {
  endKey,
  eventPrefix,
  inputPrefix,
  type KeyRange,
  requestKey,
  runKey,
  stepPrefix,
  turnKey,
  underPrefix,
} from "../row-key.ts";
import type { RunEnd } from "../run-event.ts";
import type { View } from "../session-store.ts";
import { snapshotOfRow } from "../snapshot-row.ts";
import type { Decision, Step } from "../step.ts";
import type { UnsavedTurn } from "../unsaved-turn.ts";
import { type PrunedSnapshots, pruneSnapshots } from "./prune-snapshots.ts";

export type SweepAnswer =
  | {
      readonly kind: "swept";
      readonly runs: number;
      readonly requests: number;
      readonly snapshots: number;
    }
  /** The mark of a deleted session is gone. */
  | { readonly kind: "forgotten" }
  | { readonly kind: "none" };

/** Removes what the retention no longer keeps: rows of runs long over, recognised requests, old snapshots, the marks of deleted sessions. */
export function sweepSession(retention: Retention): Step<SweepAnswer> {
  const ranges = ["run/", "end/", "turn/", "request/"].map(underPrefix);
  if (retention.snapshots) ranges.push(underPrefix("snapshot/"));
  return {
    want: () => ({ ranges }),
    decide: (view) => {
      const { record } = view;
      if (record === null) return { answer: { kind: "none" } };
      if (record.deletedAt === undefined) return sweepLiving(view, record, retention);
      const over = record.deletedAt + retention.tombstonesMs <= view.now;
      return over
        ? { answer: { kind: "forgotten" }, change: { record: null } }
        : { answer: { kind: "none" } };
    },
  };
}

function sweepLiving(view: View, record: HeadRecord, retention: Retention): Decision<SweepAnswer> {
  const runs = expiringRuns(view, record, retention);
  const requests = rowsUnder<{ readonly at: number }>(view, "request/").map(([name, { at }]) => ({
    ranges: [exactly(requestKey(name))],
    at: at + retention.requestsMs,
  }));
  const turns = expiringTurns(view, retention);
  const snapshots = prunedSnapshots(view, record, retention);
  const isOver = ({ at }: Expiring): boolean => at <= view.now;
  const later = [...runs, ...turns, ...requests].filter((one) => !isOver(one)).map(({ at }) => at);
  const next = [...later, ...(snapshots.nextAt === undefined ? [] : [snapshots.nextAt])];
  const over = [...runs, ...turns, ...requests].filter(isOver);
  return {
    answer: {
      kind: "swept",
      runs: runs.filter(isOver).length,
      requests: requests.filter(isOver).length,
      snapshots: snapshots.removed,
    },
    change: {
      record: {
        ...record,
        sweepAt: next.length === 0 ? null : Math.min(...next),
        expiring: snapshots.expiring,
      },
      drop: [...over.flatMap(({ ranges }) => ranges), ...snapshots.drop],
    },
  };
}

function prunedSnapshots(
  view: View,
  record: HeadRecord,
  { snapshots: policy }: Retention,
): PrunedSnapshots {
  if (policy?.keepLast === undefined && policy?.olderThanMs === undefined) {
    return { removed: 0, drop: [] };
  }
  const snapshots = [...view.rows]
    .filter(([key]) => key.startsWith("snapshot/"))
    .map(([key, value]) => snapshotOfRow({ key, value }));
  return pruneSnapshots(record, snapshots, { policy, now: view.now });
}

interface Expiring {
  readonly ranges: readonly KeyRange[];
  readonly at: number;
}

// A run that still runs or waits is not over, however old it is.
function expiringRuns(view: View, record: HeadRecord, retention: Retention): readonly Expiring[] {
  const busy = new Set([record.active, ...record.queue].map((turn) => turn?.runId));
  const ends = new Map(rowsUnder<RunEnd>(view, "end/"));
  return rowsUnder<{ readonly at: number }>(view, "run/")
    .filter(([runId]) => !busy.has(runId))
    .map(([runId, { at }]) => {
      const end = ends.get(runId);
      return {
        ranges: rowsOfRun(runId),
        at: end === undefined ? at + retention.openRunsMs : end.at + retention.endedRunsMs,
      };
    });
}

// As long as a request that is repeated may be answered with one.
function expiringTurns(view: View, retention: Retention): readonly Expiring[] {
  const keptMs = Math.max(retention.endedRunsMs, retention.requestsMs);
  return rowsUnder<UnsavedTurn>(view, "turn/").map(([snapshotId, { updatedAt }]) => ({
    ranges: [exactly(turnKey(snapshotId))],
    at: updatedAt + keptMs,
  }));
}

function rowsOfRun(runId: string): readonly KeyRange[] {
  return [
    exactly(runKey(runId)),
    exactly(endKey(runId)),
    underPrefix(inputPrefix(runId)),
    underPrefix(eventPrefix(runId)),
    underPrefix(stepPrefix(runId)),
  ];
}

function exactly(key: string): KeyRange {
  return [key, key];
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- saves a cast at every call
function rowsUnder<Value>(
  view: View,
  prefix: string,
): readonly (readonly [name: string, value: Value])[] {
  return [...view.rows]
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, text]) => [key.slice(prefix.length), JSON.parse(text) as Value]);
}
