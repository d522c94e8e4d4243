import type { RangeQuery, Row, SessionKey } from "../../ledger/index.ts";
import { unpackRows } from "../packed-value.ts";
import type { PostgresValue } from "./postgres-pool.ts";
import { nameOf } from "./read-view.ts";

/** The values of the statement that reads a range. */
export function toRangeValues(key: SessionKey, query: RangeQuery): PostgresValue[] {
  const { range, floorWithin, limit, maxBytes } = query;
  return [...nameOf(key), ...range, floorWithin ?? null, limit, maxBytes];
}

export function rowsFrom(found: readonly unknown[], query: RangeQuery): readonly Row[] {
  return unpackRows(found as readonly Row[], query);
}
