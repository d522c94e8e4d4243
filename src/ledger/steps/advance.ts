import type { AgentFinishReason, RuntimeError } from "../../protocol/index.ts";
import { type Claim, claimOf, heldBy } from "../claim.ts";
import type { ContentChange } from "../content-change.ts";
import { changedRecord, withTurns } from "../fresh-record.ts";
import type { ActiveTurn, HeadRecord, TurnProgress } from "../head-record.ts";
import { nextOnBranch, placeContent, type PlacedContent } from "../place-content.ts";
import { inputKey } from "../row-key.ts";
import { eventRow, type RunEvent, type WritableEvent } from "../run-event.ts";
import type { View } from "../session-store.ts";
import { type Decision, livingRecord, type Step } from "../step.ts";

export interface AdvanceRequest {
  readonly claim: Claim;
  /** How its first input ended. */
  readonly status: "completed" | "failed";
  readonly finishReason?: AgentFinishReason | undefined;
  readonly error?: RuntimeError | undefined;
  /** `null` where nothing of the run will be saved. */
  readonly change: ContentChange | null;
  /** Events not written yet, and the seq of the first of them. */
  readonly events: readonly WritableEvent[];
  readonly nextSeq: number;
}

export type AdvanceAnswer =
  /** The turn is at its next input, under the same claim. */
  | { readonly kind: "advanced"; readonly claim: Claim }
  /** An abort came first. The slot is free now. */
  | { readonly kind: "stopped" }
  | { readonly kind: "fenced" };

/** Ends one input of a detached turn that has more of them: its `turnEnd` and what it led to, in one commit. The turn's snapshot comes with the last. */
export function advance(request: AdvanceRequest): Step<AdvanceAnswer> {
  const { claim, change } = request;
  const next = change === null ? undefined : nextOnBranch(change);
  const want = { rows: next === undefined ? [] : [next] };
  return {
    want: () => want,
    decide: (view) => {
      const record = livingRecord(view.record);
      const active = heldBy(record, claim);
      if (record === null || active === null) return { answer: { kind: "fenced" } };
      if (active.stopping) {
        return {
          answer: { kind: "stopped" },
          change: { record: withTurns(record, null, record.queue) },
        };
      }
      // Only who holds the claim can have done this: an earlier try, whose answer was lost.
      if (active.turn !== claim.turn) return { answer: advancedTo(active, request) };
      const free = next === undefined || view.rows.has(next) ? undefined : next;
      const places = { next: free, newBranch: record.branches + 1 };
      const placed = change === null ? undefined : placeContent(change, places);
      return goOn(view, { record, active, placed }, request);
    },
  };
}

interface AdvancingTurn {
  readonly record: HeadRecord;
  readonly active: ActiveTurn;
  readonly placed: PlacedContent | undefined;
}

function goOn(
  view: View,
  { record, active, placed }: AdvancingTurn,
  request: AdvanceRequest,
): Decision<AdvanceAnswer> {
  const { change, status, finishReason, error, events, nextSeq } = request;
  const { runId, turn, inputs = 1 } = active;
  const advanced: ActiveTurn = {
    ...active,
    turn: turn + 1,
    inputs: inputs - 1,
    // The next one was begun by nobody yet.
    attempt: 1,
    progress: placed
      ? progressOf(placed, active.progress, change?.content.stateVersion)
      : active.progress,
  };
  const turnEnd: RunEvent = { type: "turnEnd", turn, status, finishReason, error };
  const said = eventRow(runId, nextSeq, [...events, turnEnd]);
  const input = inputKey(runId, turn);
  return {
    answer: advancedTo(advanced, request),
    change: {
      record: changedRecord(record, {
        active: advanced,
        branches: record.branches + (placed?.opensBranch ? 1 : 0),
        updatedAt: view.now,
      }),
      put: [said, ...(placed?.row ? [placed.row] : [])],
      // Its message is part of the content now: a message is stored once.
      drop: [[input, input]],
    },
    witnesses: [said.key],
  };
}

function advancedTo(active: ActiveTurn, { nextSeq, events }: AdvanceRequest): AdvanceAnswer {
  return { kind: "advanced", claim: claimOf(active, nextSeq + events.length + 1) };
}

function progressOf(
  { stored, row }: PlacedContent,
  before: TurnProgress | undefined,
  stateVersion: number | undefined,
): TurnProgress {
  const rows = [...(before?.rows ?? []), ...(row ? [row.key] : [])];
  return { ...stored, stateVersion, rows };
}
