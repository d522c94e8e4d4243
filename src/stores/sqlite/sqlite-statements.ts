import { isShortLived, type KeyRange } from "../../ledger/index.ts";
import type { SqliteDatabase, SqliteStatement } from "./sqlite-database.ts";

// Row tables are reached only by the number of a session, and that only by a lookup that names the tenant.
const SESSION = "tenant = ? and agent = ? and name = ?";

type SessionStatementName =
  | "find"
  | "insert"
  | "update"
  | "delete"
  | "findHolder"
  | "dueWork"
  | "dueSweep"
  | "list"
  | "survey"
  | "chainOfHead"
  | "chainOfRow";

const SESSION_SQL: Readonly<Record<SessionStatementName, string>> = {
  find: `select session, version, record from turnkeep_sessions where ${SESSION}`,
  insert: `insert into turnkeep_sessions
    (epoch, active_snapshot, is_busy, due_at, sweep_at, updated_at, deleted_at, record, tenant, agent, name, version)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
    on conflict (tenant, agent, name) do nothing returning session`,
  // The version check lives in the statement, so two processes cannot both win.
  update: `update turnkeep_sessions
    set epoch = ?, active_snapshot = ?, is_busy = ?, due_at = ?, sweep_at = ?, updated_at = ?, deleted_at = ?, record = ?,
      version = version + 1
    where ${SESSION} and version = ? returning session`,
  delete: `delete from turnkeep_sessions where ${SESSION} and version = ? returning session`,
  findHolder: `select session from turnkeep_sessions where ${SESSION} and epoch = ? and active_snapshot = ?`,
  dueWork: dueBy("due_at"),
  dueSweep: dueBy("sweep_at"),
  list: `select agent, name, updated_at, record from turnkeep_sessions
    where tenant = ?1 and deleted_at is null and (updated_at, agent, name) < (?2, ?3, ?4)
      and (?5 is null or agent = ?5) and (?6 is null or is_busy = ?6)
    order by updated_at desc, agent desc, name desc limit ?7`,
  survey: `select tenant, agent, name from turnkeep_sessions
    where deleted_at is null and (tenant, agent, name) > (?, ?, ?) order by tenant, agent, name limit ?`,
  chainOfHead: readChain("select record from turnkeep_sessions where session = ?1"),
  chainOfRow: readChain("select value from turnkeep_lasting_rows where session = ?1 and key = ?2"),
};

type RowTable = "turnkeep_lasting_rows" | "turnkeep_short_rows";

type RowStatementName = "insert" | "find" | "between" | "findLast" | "deleteBetween" | "deleteAll";

const rowSql = (table: RowTable): Readonly<Record<RowStatementName, string>> => ({
  insert: `insert into ${table} (session, key, value) values (?, ?, ?) on conflict do nothing`,
  find: `select key, value from ${table} where session = ? and key = ?`,
  between: `select key, value from ${table} where session = ? and key between ? and ? order by key limit ?`,
  findLast: `select key, value from ${table} where session = ? and key between ? and ? order by key desc limit 1`,
  deleteBetween: `delete from ${table} where session = ? and key between ? and ?`,
  deleteAll: `delete from ${table} where session = ?`,
});

function dueBy(column: "due_at" | "sweep_at"): string {
  return `select tenant, agent, name from turnkeep_sessions
    where ${column} <= ?1 and (?2 is null or agent in (select value from json_each(?2)))
    order by ${column} limit ?3`;
}

// One statement for all ranges of a chain, each a search in the index. `cross join` keeps the ranges in the outer loop.
function readChain(source: string): string {
  return `select row.key, row.value
    from json_each((${source}), '$.chain') as range
    cross join turnkeep_lasting_rows as row
    where row.session = ?1 and row.key between range.value ->> 0 and range.value ->> 1`;
}

type SessionStatements = Readonly<Record<SessionStatementName, SqliteStatement>>;
export type RowStatements = Readonly<Record<RowStatementName, SqliteStatement>>;

/** Every statement of the store, prepared once. */
export interface SqliteStatements {
  readonly sessions: SessionStatements;
  readonly lasting: RowStatements;
  readonly short: RowStatements;
}

export function prepareStatements(database: SqliteDatabase): SqliteStatements {
  return {
    sessions: prepareAll(database, SESSION_SQL),
    lasting: prepareAll(database, rowSql("turnkeep_lasting_rows")),
    short: prepareAll(database, rowSql("turnkeep_short_rows")),
  };
}

function prepareAll<Name extends string>(
  database: SqliteDatabase,
  texts: Readonly<Record<Name, string>>,
): Readonly<Record<Name, SqliteStatement>> {
  const entries = Object.entries<string>(texts).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(entries) as Record<Name, SqliteStatement>;
}

/** The statements for the table that holds the row. */
export function statementsForKey(statements: SqliteStatements, key: string): RowStatements {
  return isShortLived(key) ? statements.short : statements.lasting;
}

/** The statements for the tables that may hold rows of the range: one of them, unless it reaches over several kinds of rows. */
export function statementsForRange(
  statements: SqliteStatements,
  [from, to]: KeyRange,
): readonly RowStatements[] {
  if (kindOf(from) === kindOf(to)) return [statementsForKey(statements, from)];
  return [statements.lasting, statements.short];
}

function kindOf(key: string): string {
  return key.slice(0, key.indexOf("/") + 1) || key;
}
