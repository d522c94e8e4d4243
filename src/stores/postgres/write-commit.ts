import { type Commit, type HeadRecord, isShortLived, type SessionKey } from "../../ledger/index.ts";
import { packRow } from "../packed-value.ts";
import type { PostgresValue } from "./postgres-pool.ts";
import { nameOf } from "./read-view.ts";

/** Where a write is told of, and what is said; `null` when nobody listens. */
export type News = readonly [channel: string, news: string] | readonly [null, null];

/** The values of the statement that commits: nothing in them changes when the caller changes what it handed over. */
export function toCommitValues(
  key: SessionKey,
  { expect, record, put = [], drop = [] }: Commit,
  news: News,
): PostgresValue[] {
  const ranges = drop === "all" ? [] : drop;
  return [
    ...nameOf(key),
    expect,
    ...toColumns(record),
    put.map((row) => row.key),
    put.map((row) => isShortLived(row.key)),
    put.map((row) => packRow(row).value),
    ranges.map(([from]) => from),
    ranges.map(([, to]) => to),
    drop === "all",
    ...news,
  ];
}

/** Whether a row is to be put twice, which is one time too many. */
export function putsTwice({ put = [] }: Commit): boolean {
  return new Set(put.map((row) => row.key)).size < put.length;
}

// In the order in which the function names them.
function toColumns(record: HeadRecord | null): PostgresValue[] {
  if (record === null) return [null, null, null, null, null, null, null, null];
  return [
    record.epoch,
    record.active?.snapshotId ?? null,
    record.active !== null || record.queue.length > 0,
    record.dueAt,
    record.sweepAt,
    record.updatedAt,
    record.deletedAt ?? null,
    JSON.stringify(record),
  ];
}
