import type { Append, AppendOutcome } from "../../ledger/index.ts";
import { type SqliteStatements, statementsForKey } from "./sqlite-statements.ts";
import { insertRow } from "./write-commit.ts";

/** Writes an append inside an open transaction. When it is `"fenced"` the caller undoes what was written. */
export function writeAppend(
  statements: SqliteStatements,
  { key, fence, rows }: Append,
): AppendOutcome {
  const holder = statements.sessions.findHolder.get(
    key.scope.tenant,
    key.agent,
    key.sessionId,
    fence.epoch,
    fence.snapshotId,
  ) as { session: number } | undefined;
  if (holder === undefined) return "fenced";
  for (const row of rows) {
    if (insertRow(statements, holder.session, row)) continue;
    const present = statementsForKey(statements, row.key).find.get(holder.session, row.key);
    if ((present as { value: string }).value !== row.value) return "fenced";
  }
  return "ok";
}
