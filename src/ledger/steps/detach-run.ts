import { withTurns } from "../fresh-record.ts";
import type { QueuedTurn } from "../head-record.ts";
import { livingRecord, type Step } from "../step.ts";
import type { TurnRef } from "./accept.ts";
import { openTurns } from "./stop-turns.ts";

export type DetachAnswer =
  /** The turn whose snapshot all that is left of the run will end in. */
  | { readonly kind: "detached"; readonly turn: TurnRef }
  /** No turn of it runs or waits. */
  | { readonly kind: "idle" };

/** Cuts a run loose from its connection. Its first unfinished turn takes over the inputs that wait behind it, and ends in one snapshot for all. */
export function detachRun(runId: string): Step<DetachAnswer> {
  return {
    want: () => ({}),
    decide: (view) => {
      const record = livingRecord(view.record);
      const turns = record === null ? [] : openTurns(record).filter((turn) => turn.runId === runId);
      const [first, ...behind] = turns;
      if (record === null || first === undefined) return { answer: { kind: "idle" } };
      const { turn, snapshotId } = first;
      const merged = { detached: true, inputs: inputsOf(turns) } as const;
      const isMerged = (queued: QueuedTurn): boolean => behind.includes(queued);
      const queue = record.queue
        .filter((queued) => !isMerged(queued))
        .map((queued) =>
          queued === first ? withoutReservation({ ...queued, ...merged }) : queued,
        );
      const { active } = record;
      const next = active !== null && active === first ? { ...active, ...merged } : active;
      return {
        answer: { kind: "detached", turn: { runId, turn, snapshotId } },
        change: { record: withTurns(record, next, queue) },
      };
    },
  };
}

function inputsOf(turns: readonly QueuedTurn[]): number {
  return turns.reduce((sum, { inputs = 1 }) => sum + inputs, 0);
}

// Nobody is connected any more, so anybody may begin it.
function withoutReservation({ reservedUntil, ...turn }: QueuedTurn): QueuedTurn {
  return reservedUntil === undefined ? { ...turn } : turn;
}
