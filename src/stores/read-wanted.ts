import type { HeadRecord, KeyRange, Row, View, Want } from "../ledger/index.ts";
import type { MemoryRows } from "./memory-rows.ts";

/** Reads the rows that a `load` wants. */
export function readWanted(
  rows: MemoryRows,
  record: HeadRecord,
  want: Want,
): Pick<View, "rows" | "tails"> {
  const found = new Map<string, string>();
  for (const key of want.rows ?? []) {
    const value = rows.get(key);
    if (value !== undefined) found.set(key, value);
  }
  for (const range of [...(want.ranges ?? []), ...chainOf(rows, record, want)]) {
    for (const { key, value } of rows.between(range)) found.set(key, value);
  }
  const tails = new Map<string, Row>();
  for (const prefix of want.tails ?? []) {
    const row = rows.findLastUnder(prefix);
    if (row !== undefined) tails.set(prefix, row);
  }
  return { rows: found, tails };
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
