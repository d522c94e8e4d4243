import type {
  HeadRecord,
  ListedSession,
  ListQuery,
  Scope,
  SessionPage,
} from "../../ledger/index.ts";
import { placeFromListCursor, toListCursor } from "../list-cursor.ts";
import type { SqliteStatements } from "./sqlite-statements.ts";

interface ListedRow {
  readonly agent: string;
  readonly name: string;
  readonly updated_at: number;
  readonly record: string;
}

const BEFORE_ALL = { updatedAt: Number.MAX_SAFE_INTEGER, agent: "", sessionId: "" };

/** One page of a scope's sessions, last updated first. */
export function readList(
  { sessions }: SqliteStatements,
  scope: Scope,
  query: ListQuery,
): SessionPage {
  const after = query.after === undefined ? BEFORE_ALL : placeFromListCursor(query.after);
  const rows = sessions.list.all(
    scope.tenant,
    after.updatedAt,
    after.agent,
    after.sessionId,
    query.agent ?? null,
    query.activity === undefined ? null : Number(query.activity === "active"),
    query.limit + 1,
  ) as ListedRow[];
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    sessions: page.map((row) => toListed(scope, row)),
    ...(last !== undefined &&
      rows.length > page.length && {
        next: toListCursor({ updatedAt: last.updated_at, agent: last.agent, sessionId: last.name }),
      }),
  };
}

function toListed(scope: Scope, { agent, name, record }: ListedRow): ListedSession {
  return { key: { scope, agent, sessionId: name }, record: JSON.parse(record) as HeadRecord };
}
