import type { RangeQuery, Row, SessionKey } from "../../ledger/index.ts";
import { findLastRow } from "./read-view.ts";
import {
  type RowStatements,
  type SqliteStatements,
  statementsForRange,
} from "./sqlite-statements.ts";

/** Reads rows in key order inside an open transaction, as many as the query's bounds allow. */
export function readRange(
  statements: SqliteStatements,
  key: SessionKey,
  query: RangeQuery,
): readonly Row[] {
  const found = statements.sessions.find.get(key.scope.tenant, key.agent, key.sessionId);
  if (found === undefined) return [];
  const { session } = found as { session: number };
  const range = [startOf(statements, session, query), query.range[1]] as const;
  const tables = statementsForRange(statements, range).map((table) =>
    readBounded(table, session, { ...query, range }),
  );
  const rows =
    tables.length === 1
      ? tables.flat()
      : tables.flat().toSorted((one, other) => (one.key < other.key ? -1 : 1));
  return [...withinBounds(rows, query)];
}

function startOf(
  statements: SqliteStatements,
  session: number,
  { range: [from], floorWithin }: RangeQuery,
): string {
  if (floorWithin === undefined) return from;
  return findLastRow(statements, session, [floorWithin, from])?.key ?? from;
}

function readBounded(table: RowStatements, session: number, query: RangeQuery): Row[] {
  const rows = table.between.iterate(session, ...query.range, query.limit) as Iterable<Row>;
  return [...withinBounds(rows, query)];
}

function* withinBounds(rows: Iterable<Row>, { limit, maxBytes }: RangeQuery): Generator<Row, void> {
  let count = 0;
  let bytes = 0;
  for (const row of rows) {
    bytes += Buffer.byteLength(row.value);
    if (count >= limit || (count > 0 && bytes > maxBytes)) return;
    // Clients give their rows other prototypes than plain objects have.
    yield { key: row.key, value: row.value };
    count += 1;
  }
}
