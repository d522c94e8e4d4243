import type { RangeQuery, Row } from "../ledger/index.ts";
import type { MemoryRows } from "./memory-rows.ts";

/** Reads rows in key order, as many as the query's bounds allow. */
export function readRange(rows: MemoryRows, query: RangeQuery): readonly Row[] {
  const encoder = new TextEncoder();
  const found: Row[] = [];
  let bytes = 0;
  for (const row of rows.between([startOf(rows, query), query.range[1]])) {
    bytes += encoder.encode(row.value).length;
    if (found.length > 0 && bytes > query.maxBytes) break;
    found.push(row);
    if (found.length >= query.limit) break;
  }
  return found;
}

function startOf(rows: MemoryRows, { range: [from], floorWithin }: RangeQuery): string {
  if (floorWithin === undefined) return from;
  return rows.findLastBetween([floorWithin, from])?.key ?? from;
}
