import type {
  HeadRecord,
  ListedSession,
  ListQuery,
  Scope,
  SessionPage,
} from "../../ledger/index.ts";
import { placeFromListCursor, toListCursor } from "../list-cursor.ts";
import type { PostgresValue } from "./postgres-pool.ts";

interface ListedRow {
  readonly agent: string;
  readonly name: string;
  readonly updated_at: number | string;
  readonly record: string;
}

const BEFORE_ALL = { updatedAt: Number.MAX_SAFE_INTEGER, agent: "", sessionId: "" };

/**
 * The values of the statement that lists sessions: one more than asked for, to see whether there is another page.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when `after` is no cursor.
 */
export function toListValues({ tenant }: Scope, query: ListQuery): PostgresValue[] {
  const after = query.after === undefined ? BEFORE_ALL : placeFromListCursor(query.after);
  return [
    tenant,
    after.updatedAt,
    after.agent,
    after.sessionId,
    query.agent ?? null,
    query.activity === undefined ? null : query.activity === "active",
    query.limit + 1,
  ];
}

/** One page of a scope's sessions, last updated first. */
export function pageFrom(found: readonly unknown[], scope: Scope, limit: number): SessionPage {
  const rows = found as ListedRow[];
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    sessions: page.map((row) => toListed(scope, row)),
    ...(last !== undefined && rows.length > page.length && { next: cursorOf(last) }),
  };
}

function cursorOf({ updated_at: updatedAt, agent, name }: ListedRow): string {
  return toListCursor({ updatedAt: Number(updatedAt), agent, sessionId: name });
}

function toListed(scope: Scope, { agent, name, record }: ListedRow): ListedSession {
  return { key: { scope, agent, sessionId: name }, record: JSON.parse(record) as HeadRecord };
}
