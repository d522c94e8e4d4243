import type { Strike } from "./cli-fleet.ts";

/** What a worker wrote down: that it began a turn, or that its handler came to the end of one. */
export interface JournalEntry {
  readonly pid: number;
  readonly at: number;
  readonly begun?: string;
  readonly ended?: string;
}

/** How long each turn stood still whose worker was struck: from the strike until another process began it. */
export function takeOverTimes(
  strikes: readonly Strike[],
  journal: readonly JournalEntry[],
): readonly number[] {
  return strikes.flatMap(({ pid, at }) => {
    const own = journal.filter((entry) => entry.pid === pid && entry.at <= at);
    const ended = new Set(own.map((entry) => entry.ended));
    const open = own.flatMap(({ begun }) => (begun && !ended.has(begun) ? [begun] : []));
    return [...new Set(open)].flatMap((snapshotId) => {
      const next = journal.find(
        (entry) => entry.begun === snapshotId && entry.pid !== pid && entry.at > at,
      );
      return next ? [next.at - at] : [];
    });
  });
}

/** The value that a share of all are at or below. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? 0;
}
