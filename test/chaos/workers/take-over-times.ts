import type { Strike } from "./cli-fleet.ts";

/** What a worker wrote down: that it began a turn, or that its handler came to the end of one. */
export interface JournalEntry {
  readonly pid: number;
  readonly at: number;
  readonly begun?: string;
  readonly ended?: string;
  /** Which try of the turn it was. */
  readonly attempt: number;
}

/** A turn that stood still because its worker was struck. */
export interface TakeOver {
  readonly strike: Strike;
  /** From the strike until another process began it. */
  readonly milliseconds: number;
  /** More than one when whoever took it over was struck as well before it began. */
  readonly tries: number;
}

export function takeOversOf(
  strikes: readonly Strike[],
  journal: readonly JournalEntry[],
): readonly TakeOver[] {
  return strikes.flatMap((strike) => {
    const { pid, at } = strike;
    const own = journal.filter((entry) => entry.pid === pid && entry.at <= at);
    const ended = new Set(own.map((entry) => entry.ended));
    const open = own.filter(({ begun }) => begun !== undefined && !ended.has(begun));
    // A worker that was frozen may have begun the same turn twice.
    const last = new Map(open.map((entry) => [entry.begun, entry]));
    return [...last.values()].flatMap(({ begun, attempt }) => {
      const next = journal.find(
        (entry) => entry.begun === begun && entry.pid !== pid && entry.at > at,
      );
      if (next === undefined) return [];
      return [{ strike, milliseconds: next.at - at, tries: next.attempt - attempt }];
    });
  });
}

/** Whether a worker was there that nobody struck for some time before and after: somebody who could take over. */
export function hadHeir(
  { pid, at }: Strike,
  fleet: {
    readonly strikes: readonly Strike[];
    readonly readyAt: ReadonlyMap<number, number>;
  },
  withinMs: number,
): boolean {
  return [...fleet.readyAt].some(
    ([other, readyAt]) =>
      other !== pid &&
      readyAt <= at &&
      !fleet.strikes.some((one) => one.pid === other && Math.abs(one.at - at) <= withinMs),
  );
}

/** The value that a share of all are at or below. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? 0;
}
