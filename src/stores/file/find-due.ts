import type { DueQuery, SessionKey } from "../../ledger/index.ts";
import { bucketOf, type DueIndex, timeOf } from "./due-index.ts";
import type { SessionHead, SessionHeads } from "./session-heads.ts";

/** The sessions that are due, longest due first, by the marks of the index and the times that the sessions themselves say. */
export async function findDue(
  index: DueIndex,
  heads: SessionHeads,
  query: DueQuery & { readonly now: number },
): Promise<readonly SessionKey[]> {
  const { kind, agents, limit, now } = query;
  const timeOfHead = (head: SessionHead): number => timeOf(kind, head.record) ?? Infinity;
  const due: SessionKey[] = [];
  for (const bucket of index.bucketsUntil(kind, now)) {
    const found: SessionHead[] = [];
    for (const session of index.sessionsIn(kind, bucket)) {
      const head = heads.find(session);
      const holds = head !== undefined && bucketOf(timeOf(kind, head.record)) === bucket;
      if (!holds) await index.unmark(kind, bucket, session);
      else if (timeOfHead(head) <= now && (agents?.includes(head.key.agent) ?? true))
        found.push(head);
    }
    const inOrder = found.toSorted((one, other) => timeOfHead(one) - timeOfHead(other));
    due.push(...inOrder.map((head) => head.key));
    if (due.length >= limit) break;
  }
  return due.slice(0, limit);
}
