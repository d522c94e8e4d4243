import { type Claim, heldBy } from "../claim.ts";
import type { ContentChange } from "../content-change.ts";
import { changedRecord } from "../fresh-record.ts";
import type { TurnProgress } from "../head-record.ts";
import { nextOnBranch, placeContent } from "../place-content.ts";
import { type KeyRange, snapshotKey } from "../row-key.ts";
import type { SeenSession } from "../seen-session.ts";
import type { Snapshot } from "../snapshot.ts";
import { findSnapshot, snapshotRow } from "../snapshot-row.ts";
import { addsOne, livingRecord, type Step } from "../step.ts";

export interface RoundRequest {
  readonly claim: Claim;
  /** The same each time it is tried. */
  readonly snapshotId: string;
  /** From what the turn saved last, or started from. */
  readonly change: ContentChange;
  readonly seen: SeenSession | undefined;
}

export type RoundAnswer =
  | { readonly kind: "saved"; readonly snapshot: Snapshot }
  | { readonly kind: "too-many"; readonly limit: number }
  /** The turn is over, or another worker has it. */
  | { readonly kind: "fenced" };

// They are named in the head record as long as the turn runs.
const MAX_ROUNDS = 64;

/**
 * Saves what a running turn has come to, in a snapshot that can be read, forked and resumed like any other. The head stays where it is, a worker that takes the
 * turn over starts where it started, and the snapshot that the turn ends in keeps its parent.
 */
export function saveRound({ claim, snapshotId, change, seen }: RoundRequest): Step<RoundAnswer> {
  const own = snapshotKey(snapshotId);
  const next = nextOnBranch(change);
  const want = { rows: next === undefined ? [own] : [own, next] };
  return {
    want: () => want,
    decide: (view) => {
      const saved = findSnapshot(view, snapshotId);
      if (saved) return { answer: { kind: "saved", snapshot: saved } };
      const record = livingRecord(view.record);
      const active = heldBy(record, claim);
      if (record === null || active === null || active.stopping) {
        return { answer: { kind: "fenced" } };
      }
      const { rounds = [], lastRound } = active;
      if (rounds.length >= MAX_ROUNDS) return { answer: { kind: "too-many", limit: MAX_ROUNDS } };
      const free = next === undefined || view.rows.has(next) ? undefined : next;
      const placed = placeContent(change, { next: free, newBranch: record.branches + 1 });
      const snapshot: Snapshot = {
        snapshotId,
        parentId: lastRound ?? claim.parentId,
        runId: claim.runId,
        turn: claim.turn,
        event: "tool-round",
        status: "completed",
        createdAt: view.now,
        updatedAt: view.now,
        rev: record.rev + 1,
        stateVersion: change.content.stateVersion,
        ...placed.stored,
      };
      return {
        answer: { kind: "saved", snapshot },
        change: {
          record: changedRecord(record, {
            rev: snapshot.rev,
            branches: record.branches + (placed.opensBranch ? 1 : 0),
            active: {
              ...active,
              rounds: [...rounds, snapshotId],
              lastRound: snapshotId,
              progress: sharedProgress(active.progress, placed.stored.chain),
            },
            updatedAt: view.now,
          }),
          put: [snapshotRow(snapshot), ...(placed.row ? [placed.row] : [])],
        },
        witnesses: [own],
      };
    },
    adds: addsOne,
    seen,
  };
}

// What this snapshot is folded from stays, also when the turn leaves none of its own.
function sharedProgress(
  progress: TurnProgress | undefined,
  chain: readonly KeyRange[],
): TurnProgress | undefined {
  if (progress === undefined) return undefined;
  const isShared = (row: string): boolean => chain.some(([from, to]) => from <= row && row <= to);
  return { ...progress, rows: progress.rows.filter((row) => !isShared(row)) };
}
