import { type Claim, heldBy } from "../claim.ts";
import { withTurns } from "../fresh-record.ts";
import { livingRecord, type Step } from "../step.ts";
import { phaseOfActive, TURN_PHASES } from "../turn-phase.ts";

export type ReleaseAnswer =
  /** The slot is free for the next turn. */
  | { readonly kind: "freed" }
  /** The turn goes on elsewhere, at once. */
  | { readonly kind: "handed-over" }
  | { readonly kind: "fenced" };

/** Lets go of the slot: after an abort, or to hand a running turn over, as a process does that shuts down. */
export function release(claim: Claim): Step<ReleaseAnswer> {
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
      const handedOver = { ...active, leaseUntil: view.now, handedOver: true } as const;
      return {
        answer: { kind: "handed-over" },
        change: { record: withTurns(record, handedOver, record.queue) },
      };
    },
  };
}
