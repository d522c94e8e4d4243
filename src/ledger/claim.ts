import type { ActiveTurn, HeadRecord, TurnProgress } from "./head-record.ts";

/** A worker's right to one turn, as long as nobody is granted a higher epoch. */
export interface Claim {
  readonly runId: string;
  /** The input to process first. */
  readonly turn: number;
  /** Reserved for the snapshot that the turn will end in. */
  readonly snapshotId: string;
  /** The snapshot it starts from; absent at the start of a session. */
  readonly parentId?: string | undefined;
  readonly epoch: number;
  readonly attempt: number;
  /** How many inputs the turn has left. A detached one may be given more while it runs; `renew` tells. */
  readonly inputs: number;
  /** What the inputs before led to, where the turn had some; else it starts from its parent. */
  readonly progress?: TurnProgress | undefined;
  readonly detached: boolean;
  /** The seq of the first event it may write. */
  readonly nextSeq: number;
}

export function claimOf(active: ActiveTurn, nextSeq: number): Claim {
  const { runId, turn, snapshotId, parentId, epoch, attempt, progress } = active;
  const { inputs = 1, detached = false } = active;
  return { runId, turn, snapshotId, parentId, epoch, attempt, inputs, detached, progress, nextSeq };
}

/** The record, if the claim still holds its slot, whether or not its turn was stopped meanwhile. */
export function heldBy(record: HeadRecord | null, claim: Claim): HeadRecord["active"] {
  const active = record?.active;
  const held = active?.snapshotId === claim.snapshotId && active.epoch === claim.epoch;
  return held ? active : null;
}
