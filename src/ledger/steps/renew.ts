import { type Claim, heldBy } from "../claim.ts";
import { withTurns } from "../fresh-record.ts";
import type { SeenSession } from "../seen-session.ts";
import { livingRecord, type Step } from "../step.ts";

export type RenewAnswer =
  | {
      readonly kind: "renewed";
      readonly until: number;
      /** The input it is at, how many it has left by now, and whether it was detached meanwhile. */
      readonly turn: number;
      readonly inputs: number;
      readonly detached: boolean;
    }
  /** The turn was aborted; its worker should stop and let go of the slot. */
  | { readonly kind: "stopped" }
  /** Another worker has the turn, or nobody. */
  | { readonly kind: "fenced" };

/** Prolongs a lease: its worker is alive. */
export function renew(claim: Claim, leaseMs: number, seen?: SeenSession): Step<RenewAnswer> {
  return {
    seen,
    want: () => ({}),
    decide: (view) => {
      const record = livingRecord(view.record);
      const active = heldBy(record, claim);
      if (record === null || active === null || active.handedOver || active.givenUp) {
        return { answer: { kind: "fenced" } };
      }
      if (active.stopping) return { answer: { kind: "stopped" } };
      const until = view.now + leaseMs;
      return {
        answer: {
          kind: "renewed",
          until,
          turn: active.turn,
          inputs: active.inputs ?? 1,
          detached: active.detached ?? false,
        },
        change: { record: withTurns(record, { ...active, leaseUntil: until }, record.queue) },
      };
    },
  };
}
