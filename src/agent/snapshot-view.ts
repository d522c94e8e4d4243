import {
  digestOf,
  eventOf,
  type PendingSnapshot,
  type Snapshot,
  type UnsavedTurn,
} from "../ledger/index.ts";
import type { SessionSnapshot, SessionState } from "../protocol/index.ts";
import { toPublicId } from "./public-id.ts";

/**
 * A snapshot as clients know it, without its state; or how a turn ended that left none. Who is not shown all of the state is not shown its digest: it would
 * tell whether a guess of what is hidden is right.
 */
export function describeSnapshot(
  sessionId: string,
  snapshot: Snapshot | UnsavedTurn,
  { isRedacted }: { readonly isRedacted: boolean },
): SessionSnapshot<never> {
  const { parentId, runId, status, finishReason, error, usage, createdAt, updatedAt } = snapshot;
  const { turn, stateVersion, hash }: Partial<Snapshot> = snapshot;
  return {
    snapshotId: toPublicId({ sessionId, id: snapshot.snapshotId }),
    sessionId,
    ...(parentId !== undefined && { parentId: toPublicId({ sessionId, id: parentId }) }),
    ...(runId !== undefined && { runId: toPublicId({ sessionId, id: runId }) }),
    ...(turn !== undefined && { turnIndex: turn }),
    event: eventOf(snapshot),
    ...(hash && !isRedacted && { contentHash: digestOf(hash) }),
    createdAt: timeText(createdAt),
    updatedAt: timeText(updatedAt),
    status,
    ...(finishReason !== undefined && { finishReason }),
    ...(error !== undefined && { error }),
    ...(usage !== undefined && { usage }),
    ...(stateVersion !== undefined && { stateVersion }),
  };
}

/** A turn that runs or waits, as the snapshot it will end in. Nobody may have worked on it for long: then it is `expired`. */
export function describePending(
  sessionId: string,
  pending: PendingSnapshot,
  { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
): SessionSnapshot<never> {
  const { parentId, runId, turn, createdAt, leaseUntil } = pending;
  return {
    snapshotId: toPublicId({ sessionId, id: pending.snapshotId }),
    sessionId,
    ...(parentId !== undefined && { parentId: toPublicId({ sessionId, id: parentId }) }),
    runId: toPublicId({ sessionId, id: runId }),
    turnIndex: turn,
    event: "turn-end",
    createdAt: timeText(createdAt),
    updatedAt: timeText(createdAt),
    ...(leaseUntil !== undefined && { heartbeatAt: timeText(leaseUntil - leaseMs) }),
    status:
      leaseUntil !== undefined && isExpired(leaseUntil, { now, leaseMs }) ? "expired" : "pending",
  };
}

// As long as somebody may still come and take the turn over, it is pending.
const GRACE_LEASES = 3;

export function isExpired(
  leaseUntil: number,
  { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
): boolean {
  return leaseUntil + GRACE_LEASES * leaseMs < now;
}

/** The whole snapshot; without state when the transform omits it. */
export function withState<Custom>(
  snapshot: Omit<SessionSnapshot<never>, "state">,
  state: SessionState<Custom> | undefined,
): SessionSnapshot<Custom> {
  return state === undefined ? snapshot : { ...snapshot, state };
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
