import type { JsonObject } from "../protocol/index.ts";
import type { KeyRange } from "./row-key.ts";
import type { StoredContent } from "./snapshot.ts";

/**
 * The only thing of a session that changes. Small, and changed by compare-and-commit alone: whoever
 * commits on top of the version it read wins, everybody else reads again.
 */
export interface HeadRecord {
  /** Format of this record. */
  readonly schema: 1;
  /** Snapshots committed so far. */
  readonly rev: number;
  /** The snapshot that the session id resumes from. */
  readonly head: string | null;
  /** The rows that loading the head reads, so that it is one query. */
  readonly chain: readonly KeyRange[];
  /** Branches opened so far; the next one gets the next number. */
  readonly branches: number;
  /** The fencing token: rises with every claim, take-over, abort and delete, and never falls. */
  readonly epoch: number;
  readonly active: ActiveTurn | null;
  /** First in, first out; bounded. */
  readonly queue: readonly QueuedTurn[];
  /** When somebody should look for work here, in store time. Follows from `active` and `queue`. */
  readonly dueAt: number | null;
  /** When there may be something to sweep here, in store time. */
  readonly sweepAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** What lists show without reading state. */
  readonly counts: StateCounts;
  readonly labels: readonly SnapshotLabel[];
  readonly pins: readonly string[];
  readonly forkedFrom?: SnapshotOrigin | undefined;
  /** What people call it. */
  readonly about?: SessionAbout | undefined;
  /** How many sessions of other agents belong to it. */
  readonly links?: number | undefined;
  /** Where only the last snapshots are kept: what the next commits push out. */
  readonly expiring?: ExpiringSnapshots | undefined;
  /** Set on a tombstone. It keeps the epoch, so that nothing late comes back. */
  readonly deletedAt?: number | undefined;
}

export interface QueuedTurn {
  readonly runId: string;
  /** Which turn of its run, from 0. */
  readonly turn: number;
  /** Reserved for the snapshot this turn will end in. */
  readonly snapshotId: string;
  /** Where the turn starts when the caller named a snapshot; the head otherwise. */
  readonly parentId?: string | undefined;
  /** Since when it waits, in store time. */
  readonly since: number;
  /** How many inputs it has left to process, when not one: those that waited in its run when it was detached. */
  readonly inputs?: number | undefined;
  /** What the inputs that it has processed led to, where it has more of them. */
  readonly progress?: TurnProgress | undefined;
  /** Nobody is connected to its run. */
  readonly detached?: true | undefined;
  /** Until then only the process that took the input in may begin it: it has the connection. */
  readonly reservedUntil?: number | undefined;
}

/** Content that no snapshot holds yet. */
export interface TurnProgress extends StoredContent {
  readonly stateVersion?: number | undefined;
  /** The deltas that were written for it, which nothing else is folded from. */
  readonly rows: readonly string[];
}

/** The numbers in their run of the inputs that a turn has left. */
export function inputNumbers({ turn, inputs = 1 }: QueuedTurn): readonly number[] {
  if (inputs === 1) return [turn];
  return Array.from({ length: inputs }, (_, index) => turn + index);
}

export interface ActiveTurn extends QueuedTurn {
  /** The epoch its worker was granted. */
  readonly epoch: number;
  /** Names one claim of one worker. */
  readonly claimId: string;
  readonly leaseUntil: number;
  /** How often the turn was begun, this time included. Counted before the work starts. */
  readonly attempt: number;
  /** The turn is over, but its worker has not let go of the slot yet. */
  readonly stopping?: true;
  /** Its worker gave the turn back without having failed at it. */
  readonly handedOver?: true;
  /** Its worker gave the turn back because it could not go on with it. */
  readonly givenUp?: true;
  /** Snapshots that were saved while it ran, by any of its workers. */
  readonly rounds?: readonly string[] | undefined;
  /** The last of those that this worker saved: the turn's next change builds on it. */
  readonly lastRound?: string | undefined;
}

/** The oldest of the last snapshots kept, in the order of commits. */
export interface ExpiringSnapshots {
  /** How many are kept. */
  readonly keepLast: number;
  /** The `rev` of the first of them. The others follow without gaps; an empty id stands for one that is gone. */
  readonly first: number;
  readonly ids: readonly string[];
}

export interface StateCounts {
  readonly messages: number;
  readonly artifacts: number;
}

export interface SnapshotLabel {
  readonly name: string;
  readonly snapshotId: string;
}

/** How people find a session again. */
export interface SessionAbout {
  readonly title?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Whatever the application notes of it: a user's id, and the like. */
  readonly metadata?: JsonObject | undefined;
}

export interface SnapshotOrigin {
  readonly sessionId: string;
  readonly snapshotId: string;
}
