import type { AgentFinishReason, Json, JsonObject, RuntimeError } from "../../protocol/index.ts";
import { type Claim, heldBy } from "../claim.ts";
import type { ContentChange } from "../content-change.ts";
import { changedRecord, dueTime, sweptBy, withTurns } from "../fresh-record.ts";
import { type ActiveTurn, type HeadRecord, inputNumbers } from "../head-record.ts";
import { nextOnBranch, placeContent, type PlacedContent, type Places } from "../place-content.ts";
import { inputKey, type KeyRange, snapshotKey, turnKey } from "../row-key.ts";
import { eventRow, type RunEvent, type WritableEvent } from "../run-event.ts";
import type { SeenSession } from "../seen-session.ts";
import type { Row, View } from "../session-store.ts";
import type { Snapshot } from "../snapshot.ts";
import { snapshotRow } from "../snapshot-row.ts";
import { addsOne, type Decision, findRow, livingRecord, type Step } from "../step.ts";
import { unsavedRow } from "../unsaved-turn.ts";
import { closeRun, unheardTurnEnds } from "./close-run.ts";
import type { InputRow } from "./stop-turns.ts";

export interface FinishRequest {
  readonly claim: Claim;
  readonly status: "completed" | "failed";
  readonly finishReason?: AgentFinishReason | undefined;
  readonly error?: RuntimeError | undefined;
  readonly usage?: JsonObject | undefined;
  /** Kept with the snapshot. */
  readonly input: Json | undefined;
  /** `null` for a turn that leaves no snapshot. */
  readonly change: ContentChange | null;
  /** What is saved is how the run ends, if it does, and not the turn: then no `turnEnd` names it. */
  readonly savesRun: boolean;
  /** Events not written yet, and the seq of the first of them. */
  readonly events: readonly WritableEvent[];
  readonly nextSeq: number;
  /** Whether the run ends with this turn. */
  readonly endsRun: boolean;
  /** How many inputs were worked on, when the caller minds that more may have been given to the turn meanwhile. */
  readonly inputs: number | undefined;
  /** When the run's rows may be swept at the earliest. */
  readonly keepMs: number;
  readonly seen: SeenSession | undefined;
}

export type FinishAnswer =
  | { readonly kind: "committed"; readonly snapshot: Snapshot }
  /** The turn has ended and left no snapshot; the head is where it was. */
  | { readonly kind: "unsaved"; readonly head: string | null }
  /** The turn was detached meanwhile: what waited behind it is part of it now, and its run ends with it. */
  | { readonly kind: "extended"; readonly inputs: number; readonly detached: boolean }
  /** An abort came first. The slot is free now. */
  | { readonly kind: "stopped" }
  | { readonly kind: "fenced" };

/** Ends a turn: its snapshot, its last events and the new head in one commit. Without a snapshot the session resumes from the head it had. */
export function finish(request: FinishRequest): Step<FinishAnswer> {
  const { change } = request;
  const next = change === null ? undefined : nextOnBranch(change);
  const want = { rows: next === undefined ? [] : [next] };
  return {
    want: (record) => {
      const unheard = unheardInputs(record?.active);
      return unheard.length === 0 ? want : { rows: [...want.rows, ...unheard] };
    },
    decide: (view) => {
      const record = livingRecord(view.record);
      const active = heldBy(record, request.claim);
      if (record === null || active === null) return { answer: { kind: "fenced" } };
      if (active.stopping) {
        return {
          answer: { kind: "stopped" },
          change: { record: withTurns(record, null, record.queue) },
        };
      }
      const extended = extension(active, request);
      if (extended) return extended;
      const saved = savedBy(view, active, request);
      if (change === null || saved === "nothing")
        return endUnsaved(view, { record, active }, request);
      const free = next === undefined || view.rows.has(next) ? undefined : next;
      const places = { next: free, newBranch: record.branches + 1 };
      return commitTurn(view, { record, active, saved, change, places }, request);
    },
    adds: addsOne,
    seen: request.seen,
  };
}

type Saved = "turn" | "run" | "nothing";

function savedBy(view: View, { detached }: ActiveTurn, request: FinishRequest): Saved {
  if (request.change === null) return "nothing";
  // Whoever detached a run was told the snapshot that it ends in.
  if (!request.savesRun || detached) return "turn";
  return isAwaited(view, request) ? "nothing" : "run";
}

// A turn that was accepted into the run meanwhile is still to come.
function isAwaited({ record }: View, { claim }: FinishRequest): boolean {
  return record?.queue.some(({ runId }) => runId === claim.runId) ?? false;
}

// To end it now would drop inputs that nobody has worked on.
function extension(active: ActiveTurn, request: FinishRequest): Decision<FinishAnswer> | undefined {
  if (request.inputs === undefined) return undefined;
  const inputs = active.inputs ?? 1;
  const detached = active.detached ?? false;
  const isExtended = inputs > request.inputs || (detached && !request.endsRun);
  return isExtended ? { answer: { kind: "extended", inputs, detached } } : undefined;
}

interface EndingTurn {
  readonly record: HeadRecord;
  readonly active: ActiveTurn;
}

interface SavedTurn extends EndingTurn {
  readonly saved: "turn" | "run";
  readonly change: ContentChange;
  readonly places: Places;
}

function commitTurn(
  view: View,
  { record, active, saved, change, places }: SavedTurn,
  request: FinishRequest,
): Decision<FinishAnswer> {
  const placed = placeContent(change, places);
  const snapshot = snapshotOf(request, placed, {
    turn: saved === "turn" ? request.claim.turn : undefined,
    now: view.now,
    rev: record.rev + 1,
    since: active.since,
    rounds: active.rounds,
    stateVersion: change.content.stateVersion,
    input: request.input ?? givenUnheard(view, active),
  });
  const own = snapshotKey(snapshot.snapshotId);
  const closing = closingRows(view, { active, saved }, request);
  return {
    answer: { kind: "committed", snapshot },
    change: {
      record: changedRecord(record, {
        rev: record.rev + 1,
        head: snapshot.snapshotId,
        chain: [[own, own], ...placed.stored.chain],
        branches: record.branches + (placed.opensBranch ? 1 : 0),
        counts: placed.stored.counts,
        updatedAt: view.now,
        active: null,
        dueAt: dueTime(null, record.queue),
        sweepAt: sweptBy(record, view.now + request.keepMs),
      }),
      put: [snapshotRow(snapshot), ...(placed.row ? [placed.row] : []), ...closing],
      // Its message is part of the snapshot now: a message is stored once.
      drop: inputsOf(active),
    },
    // The snapshot may be pruned by the next commit; the events stay for a while.
    witnesses: [own, ...closing.map(({ key }) => key)],
  };
}

function endUnsaved(
  view: View,
  { record, active }: EndingTurn,
  request: FinishRequest,
): Decision<FinishAnswer> {
  const { claim, status, finishReason, error, usage } = request;
  const { snapshotId, parentId, runId, turn } = claim;
  const { queue } = record;
  const row = unsavedRow({
    snapshotId,
    parentId,
    runId,
    turn,
    status,
    finishReason,
    error,
    usage,
    createdAt: active.since,
    updatedAt: view.now,
  });
  return {
    answer: { kind: "unsaved", head: record.head },
    change: {
      record: changedRecord(record, {
        updatedAt: view.now,
        active: null,
        dueAt: dueTime(null, queue),
        sweepAt: sweptBy(record, view.now + request.keepMs),
      }),
      put: [row, ...closingRows(view, { active, saved: "nothing" }, request)],
      drop: [...inputsOf(active), ...(active.progress?.rows ?? []).map(exactly)],
    },
    witnesses: [turnKey(snapshotId)],
  };
}

function inputsOf(active: ActiveTurn): readonly KeyRange[] {
  return inputNumbers(active).map((turn) => exactly(inputKey(active.runId, turn)));
}

function exactly(key: string): KeyRange {
  return [key, key];
}

// The agent was done before it asked for these.
function unheardInputs(active: ActiveTurn | null | undefined): readonly string[] {
  if (!active?.inputs) return [];
  return inputNumbers(active)
    .slice(1)
    .map((turn) => inputKey(active.runId, turn));
}

function givenUnheard(view: View, active: ActiveTurn): Json | undefined {
  const inputs = unheardInputs(active).flatMap((key) => {
    const row = findRow<InputRow>(view, key);
    return row === undefined ? [] : [row.input];
  });
  return inputs.length > 0 ? inputs : undefined;
}

interface SnapshotFacts {
  readonly turn: number | undefined;
  readonly rounds: readonly string[] | undefined;
  readonly now: number;
  readonly rev: number;
  readonly since: number;
  readonly stateVersion: number | undefined;
  readonly input: Json | undefined;
}

function snapshotOf(
  request: FinishRequest,
  placed: PlacedContent,
  { turn, rounds, now, rev, since, stateVersion, input }: SnapshotFacts,
): Snapshot {
  const { claim, status, finishReason, error, usage } = request;
  return {
    snapshotId: claim.snapshotId,
    parentId: claim.parentId,
    runId: claim.runId,
    turn,
    rounds,
    status,
    finishReason,
    error,
    usage,
    input,
    createdAt: since,
    updatedAt: now,
    rev,
    stateVersion,
    chain: placed.stored.chain,
    hash: placed.stored.hash,
    counts: placed.stored.counts,
    size: placed.stored.size,
  };
}

function closingRows(
  view: View,
  { active, saved }: { readonly active: ActiveTurn; readonly saved: Saved },
  request: FinishRequest,
): readonly Row[] {
  const { claim, status, finishReason, error, nextSeq } = request;
  const { runId, snapshotId } = claim;
  const endsRun = request.endsRun && !isAwaited(view, request);
  const turnEnd: RunEvent = {
    type: "turnEnd",
    turn: claim.turn,
    snapshotId: saved === "turn" ? snapshotId : undefined,
    status,
    finishReason,
    error,
  };
  const events = [...request.events, turnEnd, ...unheardTurnEnds(active)];
  if (!endsRun) return [eventRow(runId, nextSeq, events)];
  const rest = saved === "run" ? { snapshotId } : {};
  return closeRun(view, { runId, status, events, seq: nextSeq, ...rest });
}
