import { TurnkeepError } from "../protocol/index.ts";

/** How long things that nobody asked to keep are kept, in milliseconds. */
export interface Retention {
  /** Events, inputs and steps of a run after it ended. */
  readonly endedRunsMs: number;
  /** A run that never ended, counted from its start: its process died between two turns. */
  readonly openRunsMs: number;
  /** How long a repeated request is recognised. */
  readonly requestsMs: number;
  /** The mark that a session was deleted. */
  readonly tombstonesMs: number;
  /** Snapshots are kept for ever unless this says otherwise. */
  readonly snapshots?: SnapshotRetention;
}

/**
 * A snapshot goes when every rule given here lets it go. Heads, branch points, labelled and pinned ones, open interrupts, and what a running or an aborted
 * turn starts from stay.
 */
export interface SnapshotRetention {
  /** Keeps the last ones of a session; at least 1. Alone it is enforced by every commit that adds a snapshot. */
  readonly keepLast?: number;
  /** Keeps those younger than this. Sweeping removes the others. */
  readonly olderThanMs?: number;
}

const HOUR = 3_600_000;

export const DEFAULT_RETENTION: Retention = {
  endedRunsMs: 24 * HOUR,
  openRunsMs: 7 * 24 * HOUR,
  requestsMs: 24 * HOUR,
  tombstonesMs: 7 * 24 * HOUR,
};

/**
 * What is kept how long, with defaults for what is not said.
 *
 * @throws TurnkeepError INVALID_ARGUMENT for a time that is negative or no number, and for a `keepLast` that is no whole number of at least 1.
 */
export function retentionFrom(given: Partial<Retention> = {}): Retention {
  const { snapshots, ...times } = given;
  const { keepLast, ...ages } = snapshots ?? {};
  const isCount = keepLast === undefined || (Number.isSafeInteger(keepLast) && keepLast >= 1);
  if (!isCount) throw refused("snapshots.keepLast", keepLast, "a whole number of at least 1");
  for (const [name, value] of Object.entries(times)) checkTime(name, value);
  for (const [name, value] of Object.entries(ages)) checkTime(`snapshots.${name}`, value);
  return { ...DEFAULT_RETENTION, ...given };
}

function checkTime(name: string, value: unknown): void {
  if (value === undefined || (typeof value === "number" && value >= 0)) return;
  throw refused(name, value, "a number of milliseconds, at least 0");
}

function refused(name: string, value: unknown, rule: string): TurnkeepError {
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    `retention.${name} must be ${rule}, not ${String(value)}.`,
    { details: { field: `retention.${name}` } },
  );
}
