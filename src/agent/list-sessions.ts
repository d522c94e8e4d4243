import type {
  ListedSession,
  ListQuery,
  Scope,
  SessionPage,
  SessionStore,
} from "../ledger/index.ts";

// Pages of the store that one call looks through.
const MAX_PAGES = 20;

/**
 * One page of the sessions that match, last updated first. The store is asked for no more sessions than are still wanted, so that its own places are those to
 * go on from; where few match, the page ends early and may even be empty.
 */
export async function listMatching(
  store: SessionStore,
  scope: Scope,
  { limit, ...query }: ListQuery & { readonly matches: (session: ListedSession) => boolean },
): Promise<SessionPage> {
  const { matches, ...rest } = query;
  const sessions: ListedSession[] = [];
  let next = rest.after;
  for (let page = 0; page < MAX_PAGES && sessions.length < limit; page += 1) {
    const asked = { ...rest, limit: limit - sessions.length };
    const found = await store.list(scope, { ...asked, ...(next !== undefined && { after: next }) });
    sessions.push(...found.sessions.filter(matches));
    next = found.next;
    if (next === undefined) return { sessions };
  }
  return { sessions, ...(next !== undefined && { next }) };
}
