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

/** A snapshot goes when every rule given here lets it go; heads, branch points, labelled and pinned ones and open interrupts never do. */
export interface SnapshotRetention {
  readonly keepLast?: number;
  readonly olderThanMs?: number;
}

const HOUR = 3_600_000;

export const DEFAULT_RETENTION: Retention = {
  endedRunsMs: 24 * HOUR,
  openRunsMs: 7 * 24 * HOUR,
  requestsMs: 24 * HOUR,
  tombstonesMs: 7 * 24 * HOUR,
};
