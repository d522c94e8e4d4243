import type { Commit, HeadRecord, KeyRange, Row, SessionKey } from "../../ledger/index.ts";
import type { SqliteValue } from "./sqlite-database.ts";
import {
  type SqliteStatements,
  statementsForKey,
  statementsForRange,
} from "./sqlite-statements.ts";

/** A commit as it will be written: nothing in it changes when the caller changes what it handed over. */
export interface CommitWrite {
  readonly name: readonly [tenant: string, agent: string, sessionId: string];
  readonly expect: number;
  /** Columns of the record, or `null` to forget the session. */
  readonly columns: readonly SqliteValue[] | null;
  readonly put: readonly Row[];
  readonly drop: readonly KeyRange[] | "all";
}

export function toCommitWrite(key: SessionKey, commit: Commit): CommitWrite {
  const { expect, record, put = [], drop = [] } = commit;
  return {
    name: [key.scope.tenant, key.agent, key.sessionId],
    expect,
    columns: record === null ? null : toColumns(record),
    put: [...put],
    drop: drop === "all" ? drop : [...drop],
  };
}

/** Writes a commit inside an open transaction. After a `"conflict"` the caller undoes what was written. */
export function writeCommit(statements: SqliteStatements, write: CommitWrite): "ok" | "conflict" {
  if (write.columns === null) return forget(statements, write);
  const session = writeRecord(statements, write, write.columns);
  if (session === undefined) return "conflict";
  const { put, drop } = write;
  if (drop.length > 0) {
    // Looked for before dropping, because putting a row back is no insert.
    if (put.some((row) => hasRow(statements, session, row.key))) return "conflict";
    dropRows(statements, session, drop);
  }
  return put.every((row) => insertRow(statements, session, row)) ? "ok" : "conflict";
}

/** Whether the row was not there before. */
export function insertRow(
  statements: SqliteStatements,
  session: number,
  { key, value }: Row,
): boolean {
  return Number(statementsForKey(statements, key).insert.run(session, key, value).changes) === 1;
}

// In the order in which the statements name them.
function toColumns(record: HeadRecord): readonly SqliteValue[] {
  return [
    record.epoch,
    record.active?.snapshotId ?? null,
    record.active !== null || record.queue.length > 0 ? 1 : 0,
    record.dueAt,
    record.sweepAt,
    record.updatedAt,
    record.deletedAt ?? null,
    JSON.stringify(record),
  ];
}

function writeRecord(
  { sessions }: SqliteStatements,
  { name, expect }: CommitWrite,
  columns: readonly SqliteValue[],
): number | undefined {
  const written =
    expect === 0
      ? sessions.insert.get(...columns, ...name)
      : sessions.update.get(...columns, ...name, expect);
  return (written as { session: number } | undefined)?.session;
}

function hasRow(statements: SqliteStatements, session: number, key: string): boolean {
  return statementsForKey(statements, key).find.get(session, key) !== undefined;
}

function dropRows(
  statements: SqliteStatements,
  session: number,
  drop: readonly KeyRange[] | "all",
): void {
  if (drop === "all") {
    statements.lasting.deleteAll.run(session);
    statements.short.deleteAll.run(session);
    return;
  }
  for (const range of drop) {
    for (const rows of statementsForRange(statements, range))
      rows.deleteBetween.run(session, ...range);
  }
}

function forget(statements: SqliteStatements, { name, expect }: CommitWrite): "ok" | "conflict" {
  if (expect === 0) return statements.sessions.find.get(...name) === undefined ? "ok" : "conflict";
  const gone = statements.sessions.delete.get(...name, expect) as { session: number } | undefined;
  if (gone === undefined) return "conflict";
  dropRows(statements, gone.session, "all");
  return "ok";
}
