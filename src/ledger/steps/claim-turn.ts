import { type Claim, claimOf } from "../claim.ts";
import { changedRecord, dueTime, withTurns } from "../fresh-record.ts";
import type { ActiveTurn, HeadRecord, QueuedTurn } from "../head-record.ts";
import { endKey, snapshotKey } from "../row-key.ts";
import { eventRow, nextSeqOf, type RunEvent } from "../run-event.ts";
import type { View } from "../session-store.ts";
import { contentOfProgress, type Snapshot } from "../snapshot.ts";
import { snapshotRow } from "../snapshot-row.ts";
import { type Decision, livingRecord, type Step } from "../step.ts";
import { phaseOfActive, TURN_PHASES } from "../turn-phase.ts";
import { abortedTurnEnds, closeRun, unheardTurnEnds } from "./close-run.ts";
import { abortedSnapshots, givenTo, wantForStop } from "./stop-turns.ts";

export interface ClaimRequest {
  /** Unique to this one attempt to claim, so that a lost answer can be asked for again. */
  readonly claimId: string;
  readonly leaseMs: number;
  readonly maxAttempts: number;
  /** Claims this turn and no other. Whoever took its input in may do so before others may. */
  readonly only?: string | undefined;
}

export type ClaimAnswer =
  | { readonly kind: "claimed"; readonly claim: Claim }
  /** Somebody else works on it until then. */
  | { readonly kind: "busy"; readonly until: number }
  /** A turn that nobody could finish was ended as failed; there may be more to claim. */
  | { readonly kind: "gave-up"; readonly snapshotId: string }
  | { readonly kind: "none" };

/** Gives the slot to the caller: for the next turn of the queue, or for one whose worker let its lease run out. */
export function claimTurn(request: ClaimRequest): Step<ClaimAnswer> {
  return {
    want: (record) => {
      if (record === null) return {};
      return wantForStop([...(record.active ? [record.active] : []), ...record.queue]);
    },
    decide: (view) => {
      const record = livingRecord(view.record);
      if (record === null) return { answer: { kind: "none" } };
      return record.active === null
        ? claimNext(view, record, request)
        : claimFrom(view, { ...record, active: record.active }, request);
    },
    // A turn that nobody could finish ends, with those that wait behind it.
    adds: ({ active, queue }) =>
      active !== null && active.attempt >= request.maxAttempts ? queue.length + 1 : 0,
  };
}

/** Grants the first turn of the queue, if the slot is free. */
export function grantQueued(
  record: HeadRecord,
  view: View,
  request: ClaimRequest,
): { readonly record: HeadRecord; readonly claim: Claim } | undefined {
  const [turn] = record.queue;
  if (record.active !== null || turn === undefined || !mayBegin(turn, view, request))
    return undefined;
  return grant(record, view, { turn, queue: record.queue.slice(1), attempt: 1, request });
}

function mayBegin(turn: QueuedTurn, view: View, { only }: ClaimRequest): boolean {
  if (only !== undefined) return turn.snapshotId === only;
  return turn.reservedUntil === undefined || turn.reservedUntil <= view.now;
}

type BusyRecord = HeadRecord & { readonly active: ActiveTurn };

function claimFrom(view: View, record: BusyRecord, request: ClaimRequest): Decision<ClaimAnswer> {
  const { active } = record;
  if (active.claimId === request.claimId) {
    return { answer: { kind: "claimed", claim: claimOf(active, nextSeqOf(view, active.runId)) } };
  }
  const busy: Decision<ClaimAnswer> = { answer: { kind: "busy", until: active.leaseUntil } };
  if (view.now < active.leaseUntil) return busy;
  if (TURN_PHASES[phaseOfActive(active)].takeOver === "ended") {
    return claimNext(view, { ...record, active: null }, request);
  }
  if ((request.only ?? active.snapshotId) !== active.snapshotId) return busy;
  const isExhausted = active.attempt >= request.maxAttempts && !active.handedOver;
  return isExhausted ? giveUp(view, record) : takeOver(view, record, request);
}

function claimNext(view: View, record: HeadRecord, request: ClaimRequest): Decision<ClaimAnswer> {
  const granted = grantQueued(record, view, request);
  if (granted) {
    return {
      answer: { kind: "claimed", claim: granted.claim },
      change: { record: granted.record },
    };
  }
  const freed = view.record?.active !== null;
  return {
    answer: { kind: "none" },
    ...(freed && { change: { record: withTurns(record, null, record.queue) } }),
  };
}

function takeOver(view: View, record: BusyRecord, request: ClaimRequest): Decision<ClaimAnswer> {
  const turn = record.active;
  // Handing over is no failure, so it does not use up an attempt.
  const attempt = turn.handedOver ? turn.attempt : turn.attempt + 1;
  const granted = grant(record, view, { turn, queue: record.queue, attempt, request });
  const seq = granted.claim.nextSeq;
  const { epoch } = granted.claim;
  const restarted: RunEvent = {
    type: "restarted",
    turn: turn.turn,
    attempt,
    epoch,
    claimId: request.claimId,
  };
  // Takes the place in the log that the former worker would write to next: a second fence beside the epoch.
  const row = eventRow(turn.runId, seq, [restarted]);
  return {
    answer: { kind: "claimed", claim: { ...granted.claim, nextSeq: seq + 1 } },
    change: { record: granted.record, put: [row] },
    witnesses: [row.key],
  };
}

// The run ends with its turn; inputs that waited behind it in the same run end aborted.
function giveUp(view: View, record: BusyRecord): Decision<ClaimAnswer> {
  const { runId, turn, snapshotId, parentId, since, attempt, progress } = record.active;
  const behind = record.queue.filter((queued) => queued.runId === runId);
  const input = givenTo(view, record.active);
  const outcome = {
    status: "failed",
    finishReason: "failed",
    error: {
      status: "ABORTED",
      message: `No worker could finish this turn in ${attempt} attempts.`,
      details: { reason: "ATTEMPTS_EXHAUSTED" },
    },
  } as const;
  const snapshot: Snapshot = {
    snapshotId,
    ...(parentId !== undefined && { parentId }),
    runId,
    turn,
    ...outcome,
    createdAt: since,
    updatedAt: view.now,
    rev: record.rev + 1,
    ...(input !== undefined && { input }),
    ...contentOfProgress(progress),
  };
  const after = { ...record, rev: record.rev + 1, ...headAfter(record.active) };
  const events: RunEvent[] = [
    { type: "turnEnd", turn, snapshotId, ...outcome },
    ...unheardTurnEnds(record.active),
    ...behind.flatMap(abortedTurnEnds),
  ];
  return {
    answer: { kind: "gave-up", snapshotId },
    change: {
      record: {
        ...withTurns(
          after,
          null,
          record.queue.filter((queued) => queued.runId !== runId),
        ),
        rev: after.rev + behind.length,
        epoch: record.epoch + 1,
        updatedAt: view.now,
      },
      put: [
        snapshotRow(snapshot),
        ...abortedSnapshots(view, after, behind),
        ...closeRun(view, { runId, status: "failed", reason: "attempts-exhausted", events }),
      ],
    },
    witnesses: [snapshotKey(snapshotId), endKey(runId)],
  };
}

// What it had processed can be gone on from.
function headAfter({ snapshotId, progress }: ActiveTurn): Partial<HeadRecord> {
  if (progress === undefined) return {};
  const own = snapshotKey(snapshotId);
  return { head: snapshotId, chain: [[own, own], ...progress.chain], counts: progress.counts };
}

interface Grant {
  readonly turn: QueuedTurn | ActiveTurn;
  /** What waits behind it. */
  readonly queue: HeadRecord["queue"];
  readonly attempt: number;
  readonly request: ClaimRequest;
}

// A turn that names no snapshot starts at the head of the moment it begins, and keeps that start through take-overs.
function grant(
  record: HeadRecord,
  view: View,
  { turn, queue, attempt, request }: Grant,
): { readonly record: HeadRecord; readonly claim: Claim } {
  const parentId = turn.parentId ?? record.head;
  const epoch = record.epoch + 1;
  const active: ActiveTurn = {
    runId: turn.runId,
    turn: turn.turn,
    snapshotId: turn.snapshotId,
    parentId: parentId ?? undefined,
    since: turn.since,
    inputs: turn.inputs,
    detached: turn.detached,
    progress: turn.progress,
    epoch,
    claimId: request.claimId,
    leaseUntil: view.now + request.leaseMs,
    attempt,
    rounds: "rounds" in turn ? turn.rounds : undefined,
    lastRound: undefined,
  };
  return {
    record: changedRecord(record, { active, queue, dueAt: dueTime(active, queue), epoch }),
    claim: claimOf(active, nextSeqOf(view, turn.runId)),
  };
}
