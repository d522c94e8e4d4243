import { freshRecord } from "../fresh-record.ts";
import { livingRecord, type Step } from "../step.ts";

export type RemoveAnswer = { readonly kind: "removed" } | { readonly kind: "none" };

/** Erases a session with everything in it. What is left is a mark with a higher epoch, so that nothing late brings any of it back. */
export function removeSession(tombstonesMs: number): Step<RemoveAnswer> {
  return {
    want: () => ({}),
    decide: (view) => {
      const record = livingRecord(view.record);
      if (record === null) return { answer: { kind: "none" } };
      const tombstone = {
        ...freshRecord(record, view.now),
        epoch: record.epoch + 1,
        deletedAt: view.now,
        sweepAt: view.now + tombstonesMs,
      };
      return { answer: { kind: "removed" }, change: { record: tombstone, drop: "all" } };
    },
  };
}
