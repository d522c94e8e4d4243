import { type Claim, heldBy } from "../claim.ts";
import { type KeyRange, linkKey, underPrefix } from "../row-key.ts";
import type { View } from "../session-store.ts";
import { findRow, jsonRow, livingRecord, type Step } from "../step.ts";

/** A session of another agent of the same tenant that belongs to this one, as that of a sub-agent does: it is deleted along with it. */
export interface LinkedSession {
  readonly agent: string;
  readonly sessionId: string;
}

export type LinkAnswer =
  | { readonly kind: "linked" }
  | { readonly kind: "too-many"; readonly limit: number }
  /** The turn is over, or another worker has it. */
  | { readonly kind: "fenced" };

const MAX_LINKS = 10_000;

export const LINKS: KeyRange = underPrefix("link/");

/** Notes, for the worker of a turn, that another session belongs to this one. By commit, so that whoever deletes this one knows of it. */
export function linkSession(claim: Claim, { agent, sessionId }: LinkedSession): Step<LinkAnswer> {
  const key = linkKey(agent, sessionId);
  const want = { rows: [key] };
  return {
    want: () => want,
    decide: (view) => {
      const record = livingRecord(view.record);
      const active = heldBy(record, claim);
      if (record === null || active === null || active.stopping)
        return { answer: { kind: "fenced" } };
      if (view.rows.has(key)) return { answer: { kind: "linked" } };
      const { links = 0 } = record;
      if (links >= MAX_LINKS) return { answer: { kind: "too-many", limit: MAX_LINKS } };
      return {
        answer: { kind: "linked" },
        change: {
          record: { ...record, links: links + 1 },
          put: [jsonRow(key, { agent, sessionId } satisfies LinkedSession)],
        },
        witnesses: [key],
      };
    },
  };
}

/** The links among the rows that were read, by agent and session. */
export function linksIn(view: View): readonly LinkedSession[] {
  return [...view.rows.keys()]
    .filter((key) => key.startsWith("link/"))
    .flatMap((key) => findRow<LinkedSession>(view, key) ?? [])
    .toSorted((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
}

function nameOf({ agent, sessionId }: LinkedSession): string {
  return JSON.stringify([agent, sessionId]);
}
