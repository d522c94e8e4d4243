import type { Json, JsonObject } from "../../protocol/index.ts";
import type { Claim } from "../claim.ts";
import { changedRecord, dueTime, freshRecord, sweptBy } from "../fresh-record.ts";
import { type HeadRecord, inputNumbers, type QueuedTurn } from "../head-record.ts";
import {
  endKey,
  eventPrefix,
  inputKey,
  requestKey,
  runKey,
  snapshotKey,
  turnKey,
} from "../row-key.ts";
import type { SeenSession } from "../seen-session.ts";
import { changedAbout, isMetadataTooLong, MAX_METADATA_CHARACTERS } from "../session-about.ts";
import type { Row, View } from "../session-store.ts";
import { isContinuable, type SnapshotEnd } from "../snapshot.ts";
import { findSnapshot } from "../snapshot-row.ts";
import { type Decision, findRow, jsonRow, livingRecord, type Step } from "../step.ts";
import { turnInTheWay } from "../turn-phase.ts";
import { type ClaimRequest, grantQueued } from "./claim-turn.ts";
import { type InputRow, openTurns, stopTurns, wantForStop } from "./stop-turns.ts";

/** What becomes of an input for a session that is busy with another one. */
export type BusyPolicy = "reject" | "queue" | "interrupt";

export interface AcceptRequest {
  readonly runId: string;
  /** Which turn of its run, from 0. */
  readonly turn: number;
  /** Reserved for the snapshot that the turn will end in. */
  readonly snapshotId: string;
  readonly input: Json;
  readonly principal?: string | undefined;
  /** Added to what is noted of the session. */
  readonly metadata?: JsonObject | undefined;
  readonly onBusy: BusyPolicy;
  /** How many inputs may wait. */
  readonly maxQueue: number;
  /** Recognises a request that is sent again: digests of its key and of all it asks for. */
  readonly request?: { readonly key: string; readonly body: string } | undefined;
  /** Refuses when the head is another one by now. `null`: the session must be empty. */
  readonly expectedHead?: string | null | undefined;
  /** Starts at this snapshot instead of the head. */
  readonly parentId?: string | undefined;
  /** Begins the turn, and no other, in the same commit, if the slot is free. */
  readonly claim?: ClaimRequest | undefined;
  /** For how long nobody else may begin it, once it waits. */
  readonly reservedMs?: number | undefined;
  /** Nobody stays connected to the run. */
  readonly detached?: boolean | undefined;
  /** When the rows this writes may be swept at the earliest. */
  readonly keepMs: number;
  readonly seen?: SeenSession | undefined;
}

export type AcceptAnswer =
  | {
      readonly kind: "accepted";
      readonly turn: TurnRef;
      readonly position: number;
      readonly claim?: Claim;
    }
  /** The same request was accepted before. */
  | { readonly kind: "repeated"; readonly turn: TurnRef }
  | { readonly kind: "request-mismatch" }
  | { readonly kind: "busy"; readonly turn: TurnRef; readonly since: number }
  | { readonly kind: "queue-full"; readonly length: number }
  | { readonly kind: "stale-head"; readonly head: string | null }
  | { readonly kind: "metadata-too-long"; readonly limit: number }
  | { readonly kind: "no-such-parent" }
  | { readonly kind: "parent-not-continuable"; readonly status: SnapshotEnd }
  /** The run has ended, or this turn of it was accepted before. */
  | { readonly kind: "run-over" };

/** Names a turn to the outside. */
export interface TurnRef {
  readonly runId: string;
  readonly turn: number;
  readonly snapshotId: string;
}

interface RequestRow {
  readonly body: string;
  readonly turn: TurnRef;
  readonly at: number;
}

/** Takes an input into the session, durably, and says what will become of it. */
export function accept(request: AcceptRequest): Step<AcceptAnswer> {
  const { runId, turn, parentId } = request;
  const named = [
    runKey(runId),
    endKey(runId),
    inputKey(runId, turn),
    ...(request.request ? [requestKey(request.request.key)] : []),
    ...(parentId === undefined ? [] : [snapshotKey(parentId)]),
  ];
  return {
    want: (record) => {
      const tails = [eventPrefix(runId)];
      if (record === null || request.onBusy !== "interrupt") return { rows: named, tails };
      const stop = wantForStop(openTurns(record));
      return { rows: [...named, ...stop.rows], tails: [...tails, ...stop.tails] };
    },
    decide: (view) => refusal(view, request) ?? admit(view, request),
    ...(request.onBusy === "interrupt" && { adds: (record) => openTurns(record).length }),
    seen: request.seen,
  };
}

function refusal(view: View, request: AcceptRequest): Decision<AcceptAnswer> | undefined {
  const refused =
    repeatedRequest(view, request) ??
    refusedPlace(view, request) ??
    refusedMetadata(view, request) ??
    refusedNow(view, request);
  return refused && { answer: refused };
}

function repeatedRequest(view: View, { request }: AcceptRequest): AcceptAnswer | undefined {
  const earlier = request && findRow<RequestRow>(view, requestKey(request.key));
  if (request === undefined || earlier === undefined) return undefined;
  return earlier.body === request.body
    ? { kind: "repeated", turn: earlier.turn }
    : { kind: "request-mismatch" };
}

function refusedPlace(view: View, request: AcceptRequest): AcceptAnswer | undefined {
  const { runId, turn, parentId, expectedHead } = request;
  const begun = view.rows.has(runKey(runId));
  const over = view.rows.has(endKey(runId)) || view.rows.has(inputKey(runId, turn));
  if (over || begun !== turn > 0 || isDetached(view, runId)) return { kind: "run-over" };
  const head = livingRecord(view.record)?.head ?? null;
  if (expectedHead !== undefined && expectedHead !== head) return { kind: "stale-head", head };
  if (parentId === undefined) return undefined;
  const parent = findSnapshot(view, parentId);
  if (parent === undefined) return { kind: "no-such-parent" };
  return isContinuable(parent)
    ? undefined
    : { kind: "parent-not-continuable", status: parent.status };
}

function refusedMetadata(view: View, { metadata }: AcceptRequest): AcceptAnswer | undefined {
  if (metadata === undefined) return undefined;
  const about = changedAbout(livingRecord(view.record)?.about, { metadata });
  if (!isMetadataTooLong(about)) return undefined;
  return { kind: "metadata-too-long", limit: MAX_METADATA_CHARACTERS };
}

// Whoever detached a run said that nothing more will come.
function isDetached({ record }: View, runId: string): boolean {
  const turns = record === null ? [] : [record.active, ...record.queue];
  return turns.some((turn) => turn?.runId === runId && turn.detached);
}

function refusedNow(view: View, { onBusy, maxQueue }: AcceptRequest): AcceptAnswer | undefined {
  const record = livingRecord(view.record);
  const first = record && (openTurns(record)[0] ?? turnInTheWay(record.active, view.now));
  if (record === null || first === null || first === undefined) return undefined;
  if (onBusy === "reject") return { kind: "busy", turn: turnRef(first), since: first.since };
  const full = onBusy === "queue" && record.queue.length >= maxQueue;
  return full ? { kind: "queue-full", length: record.queue.length } : undefined;
}

function admit(view: View, request: AcceptRequest): Decision<AcceptAnswer> {
  const found = livingRecord(view.record) ?? freshRecord(view.record, view.now);
  const { metadata, reservedMs } = request;
  const record = metadata ? { ...found, about: changedAbout(found.about, { metadata }) } : found;
  const cleared = clearFor(view, record, request);
  const queued: QueuedTurn = {
    runId: request.runId,
    turn: request.turn,
    snapshotId: request.snapshotId,
    parentId: request.parentId,
    since: view.now,
    reservedUntil: reservedMs === undefined ? undefined : view.now + reservedMs,
    detached: request.detached ? true : undefined,
  };
  const { active, queue } = cleared.record;
  const turns = [...queue, queued];
  const waiting = changedRecord(cleared.record, {
    queue: turns,
    dueAt: dueTime(active, turns),
    sweepAt: sweptBy(cleared.record, view.now + request.keepMs),
    updatedAt: view.now,
  });
  const put = [...cleared.put, ...inputRows(view, request)];
  const turn = turnRef(request);
  // The input is dropped when the turn ends. Then its snapshot is there, unless later ones have pushed it out, or what stands for one, and the run's first row
  // stays for a while.
  const witnesses = [
    inputKey(turn.runId, turn.turn),
    snapshotKey(turn.snapshotId),
    turnKey(turn.snapshotId),
  ];
  if (turn.turn === 0) witnesses.push(runKey(turn.runId));
  const granted = request.claim && grantQueued(waiting, view, request.claim);
  if (granted?.claim.snapshotId !== request.snapshotId) {
    const position = queue.length;
    return {
      answer: { kind: "accepted", turn, position },
      change: { record: waiting, put },
      witnesses,
    };
  }
  const { ownEvents } = cleared;
  const claim =
    ownEvents === 0
      ? granted.claim
      : { ...granted.claim, nextSeq: granted.claim.nextSeq + ownEvents };
  return {
    answer: { kind: "accepted", turn, position: 0, claim },
    change: { record: granted.record, put },
    witnesses,
  };
}

interface Cleared {
  readonly record: HeadRecord;
  readonly put: readonly Row[];
  /** How many of the rows' events are in the log of the run that goes on. */
  readonly ownEvents: number;
}

function clearFor(view: View, record: HeadRecord, { onBusy, runId }: AcceptRequest): Cleared {
  const turns = openTurns(record);
  if (onBusy !== "interrupt" || turns.length === 0) return { record, put: [], ownEvents: 0 };
  const ownEvents = turns.filter((turn) => turn.runId === runId).flatMap(inputNumbers).length;
  return {
    ...stopTurns(view, record, { turns, reason: "superseded", runGoingOn: runId }),
    ownEvents,
  };
}

function inputRows(view: View, request: AcceptRequest): readonly Row[] {
  const { runId, turn, input, principal } = request;
  const row: InputRow = { input, principal };
  const rows = [jsonRow(inputKey(runId, turn), row)];
  if (turn === 0) rows.push(jsonRow(runKey(runId), { at: view.now }));
  if (request.request) {
    const repeat: RequestRow = { body: request.request.body, turn: turnRef(request), at: view.now };
    rows.push(jsonRow(requestKey(request.request.key), repeat));
  }
  return rows;
}

function turnRef({ runId, turn, snapshotId }: TurnRef): TurnRef {
  return { runId, turn, snapshotId };
}
