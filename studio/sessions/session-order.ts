import type { SessionSummary } from "../api/types.ts";

/** Orders of the list, as they stand in the address. Servers list the last updated first; the others are made here. */
export const ORDERS = [
  ["", "last updated first"],
  ["created-desc", "last created first"],
  ["created-asc", "first created first"],
] as const;

/** So many are loaded to be put in order; the page says when there are more. */
export const MOST_ORDERED = 20_000;

/** Which time the sessions are in the order of. */
export function timeOfOrder(sort: string | undefined): "createdAt" | "updatedAt" {
  return sort === "created-desc" || sort === "created-asc" ? "createdAt" : "updatedAt";
}

export function inOrder(
  sessions: readonly SessionSummary[],
  sort: string | undefined,
): readonly SessionSummary[] {
  if (timeOfOrder(sort) === "updatedAt") return sessions;
  const sign = sort === "created-asc" ? 1 : -1;
  return sessions.toSorted((left, right) => sign * (left.createdAt - right.createdAt));
}
