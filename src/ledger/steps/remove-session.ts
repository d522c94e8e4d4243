import { freshRecord } from "../fresh-record.ts";
import { linkKey } from "../row-key.ts";
import { livingRecord, type Step } from "../step.ts";
import { type LinkedSession, LINKS, linksIn } from "./link-session.ts";

export type RemoveAnswer =
  | { readonly kind: "removed" }
  /** Others belong to it, and have to go first. All of them. */
  | { readonly kind: "linked"; readonly linked: readonly LinkedSession[] }
  | { readonly kind: "none" };

/**
 * Erases a session with everything in it, once those that belong to it are gone: until then it knows them. What is left is a mark with a higher epoch, so that
 * nothing late brings any of it back.
 */
export function removeSession(
  tombstonesMs: number,
  gone: readonly LinkedSession[] = [],
): Step<RemoveAnswer> {
  const known = new Set(gone.map(({ agent, sessionId }) => linkKey(agent, sessionId)));
  const want = { ranges: [LINKS] };
  return {
    want: () => want,
    decide: (view) => {
      const record = livingRecord(view.record);
      if (record === null) return { answer: { kind: "none" } };
      const linked = linksIn(view);
      const isLeft = linked.some(({ agent, sessionId }) => !known.has(linkKey(agent, sessionId)));
      if (isLeft) return { answer: { kind: "linked", linked } };
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
