import type { ListedSession, ListQuery, Scope, SessionPage } from "../ledger/index.ts";
import { type ListPlace, placeFromListCursor, toListCursor } from "./list-cursor.ts";

/** One page of a scope's sessions, last updated first, for stores that have them all at hand. */
export function listSessions(
  sessions: Iterable<ListedSession>,
  scope: Scope,
  query: ListQuery,
): SessionPage {
  const after = query.after === undefined ? undefined : placeFromListCursor(query.after);
  const found = [...sessions]
    .filter((session) => session.key.scope.tenant === scope.tenant && matches(session, query))
    .map((session) => ({ session, place: placeOf(session) }))
    .filter(({ place }) => after === undefined || comparePlaces(place, after) > 0)
    .toSorted((one, other) => comparePlaces(one.place, other.place));
  const page = found.slice(0, query.limit);
  const last = page.at(-1);
  return {
    sessions: page.map(({ session: { key, record } }) => ({ key, record })),
    ...(last !== undefined && found.length > page.length && { next: toListCursor(last.place) }),
  };
}

function matches({ key, record }: ListedSession, { agent, activity }: ListQuery): boolean {
  if (record.deletedAt !== undefined) return false;
  if (agent !== undefined && agent !== key.agent) return false;
  const isBusy = record.active !== null || record.queue.length > 0;
  return activity === undefined || isBusy === (activity === "active");
}

function placeOf({ record, key }: ListedSession): ListPlace {
  return { updatedAt: record.updatedAt, agent: key.agent, sessionId: key.sessionId };
}

function comparePlaces(one: ListPlace, other: ListPlace): number {
  return (
    other.updatedAt - one.updatedAt ||
    compareText(other.agent, one.agent) ||
    compareText(other.sessionId, one.sessionId)
  );
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
