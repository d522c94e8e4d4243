import type { HeadRecord, KeyRange, Row, View, Want } from "../ledger/index.ts";
import type { MemoryRows } from "./memory-rows.ts";

/** What was found by a read that wants nothing or finds nothing. One for all, since most do. */
export const NOTHING_FOUND: ReadonlyMap<string, never> = new Map<string, never>();

/** Reads the rows that a `load` wants. */
export function readWanted(
  rows: MemoryRows,
  record: HeadRecord,
  want: Want,
): Pick<View, "rows" | "tails"> {
  return { rows: readRows(rows, record, want), tails: readTails(rows, want) };
}

function readRows(rows: MemoryRows, record: HeadRecord, want: Want): View["rows"] {
  let found: Map<string, string> | undefined;
  const add = ({ key, value }: Row): void => void (found ??= new Map()).set(key, value);
  for (const key of want.rows ?? []) {
    const value = rows.get(key);
    if (value !== undefined) add({ key, value });
  }
  for (const range of want.ranges ?? []) for (const row of rows.between(range)) add(row);
  for (const range of chainOf(rows, record, want)) for (const row of rows.between(range)) add(row);
  return found ?? NOTHING_FOUND;
}

function readTails(rows: MemoryRows, { tails = [] }: Want): View["tails"] {
  let found: Map<string, Row> | undefined;
  for (const prefix of tails) {
    const row = rows.findLastUnder(prefix);
    if (row !== undefined) (found ??= new Map()).set(prefix, row);
  }
  return found ?? NOTHING_FOUND;
}

function chainOf(
  rows: MemoryRows,
  record: HeadRecord,
  { chainOf: source }: Want,
): readonly KeyRange[] {
  if (source === undefined) return [];
  if (source === "head") return record.chain;
  const value = rows.get(source.row);
  if (value === undefined) return [];
  return (JSON.parse(value) as { chain?: readonly KeyRange[] }).chain ?? [];
}
