import {
  type HeadRecord,
  type KeyRange,
  type Row,
  type SessionKey,
  underPrefix,
  type View,
  type Want,
} from "../../ledger/index.ts";
import {
  type SqliteStatements,
  statementsForKey,
  statementsForRange,
} from "./sqlite-statements.ts";

/** Reads a session inside an open transaction. */
export function readView(
  statements: SqliteStatements,
  key: SessionKey,
  want: Want,
): Omit<View, "now"> {
  const found = statements.sessions.find.get(key.scope.tenant, key.agent, key.sessionId);
  const rows = new Map<string, string>();
  const tails = new Map<string, Row>();
  if (found === undefined) return { version: 0, record: null, rows, tails };
  const { session, version, record } = found as {
    session: number;
    version: number;
    record: string;
  };
  for (const row of readRows(statements, session, want)) rows.set(row.key, row.value);
  for (const prefix of want.tails ?? []) {
    const row = findLastRow(statements, session, underPrefix(prefix));
    if (row !== undefined) tails.set(prefix, { key: row.key, value: row.value });
  }
  return { version, record: JSON.parse(record) as HeadRecord, rows, tails };
}

/** The row with the greatest key of the range. */
export function findLastRow(
  statements: SqliteStatements,
  session: number,
  range: KeyRange,
): Row | undefined {
  const found = statementsForRange(statements, range).map((table) =>
    table.findLast.get(session, ...range),
  );
  const [one, other] = found as (Row | undefined)[];
  if (one === undefined || other === undefined) return one ?? other;
  return one.key > other.key ? one : other;
}

function* readRows(
  statements: SqliteStatements,
  session: number,
  want: Want,
): Generator<Row, void> {
  for (const key of want.rows ?? []) {
    const row = statementsForKey(statements, key).find.get(session, key);
    if (row !== undefined) yield row as Row;
  }
  for (const range of want.ranges ?? []) {
    for (const table of statementsForRange(statements, range)) {
      yield* table.between.all(session, ...range, ALL) as Row[];
    }
  }
  if (want.chainOf === "head") yield* statements.sessions.chainOfHead.all(session) as Row[];
  else if (want.chainOf)
    yield* statements.sessions.chainOfRow.all(session, want.chainOf.row) as Row[];
}

// To SQLite a negative limit is none.
const ALL = -1;
