import { type Claim, heldBy } from "../claim.ts";
import { withTurns } from "../fresh-record.ts";
import { livingRecord, type Step } from "../step.ts";
import { phaseOfActive, TURN_PHASES } from "../turn-phase.ts";

export type ReleaseAnswer =
  /** The slot is free for the next turn. */
  | { readonly kind: "freed" }
  /** The turn goes on elsewhere, at once. */
  | { readonly kind: ReleaseKind }
  | { readonly kind: "fenced" };

/** Why a worker lets go of a running turn: its process shuts down, or it could not go on. Only the latter uses up an attempt. */
export type ReleaseKind = "handed-over" | "given-up";

/** Lets go of the slot after an abort, or of a running turn, which other workers may then claim at once. */
export function release(claim: Claim, how: ReleaseKind = "handed-over"): Step<ReleaseAnswer> {
  return {
    want: () => ({}),
    decide: (view) => {
      const record = livingRecord(view.record);
      const active = heldBy(record, claim);
      if (record === null || active === null) return { answer: { kind: "fenced" } };
      if (TURN_PHASES[phaseOfActive(active)].release === "ended") {
        return {
          answer: { kind: "freed" },
          change: { record: withTurns(record, null, record.queue) },
        };
      }
      if (active.handedOver) return { answer: { kind: "handed-over" } };
      if (active.givenUp) return { answer: { kind: "given-up" } };
      const mark =
        how === "handed-over" ? { handedOver: true as const } : { givenUp: true as const };
      const released = { ...active, leaseUntil: view.now, ...mark };
      return {
        answer: { kind: how },
        change: { record: withTurns(record, released, record.queue) },
      };
    },
  };
}
