import {
  type HeadRecord,
  type Row,
  type SessionKey,
  underPrefix,
  type View,
  type Want,
} from "../../ledger/index.ts";
import { unpackValue } from "../packed-value.ts";
import type { PostgresValue } from "./postgres-pool.ts";

/** What `load_session` returns: one row about the session itself, and one for each row found. */
interface LoadedPart {
  readonly part: "head" | "row" | "tail";
  /** The version, or the prefix of a tail. */
  readonly place: string | null;
  /** The time, or the key of a row. */
  readonly key: string;
  readonly value: string | null;
}

/** The values of the statement that loads a session. */
export function toLoadValues(key: SessionKey, want: Want): PostgresValue[] {
  const { rows = [], ranges = [], chainOf } = want;
  const tails = (want.tails ?? []).map(underPrefix);
  return [
    ...nameOf(key),
    // A row by name is a range of one.
    [...rows, ...ranges.map(([from]) => from)],
    [...rows, ...ranges.map(([, to]) => to)],
    tails.map(([from]) => from),
    tails.map(([, to]) => to),
    chainOf === "head",
    typeof chainOf === "object" ? chainOf.row : null,
  ];
}

export function viewFrom(parts: readonly unknown[]): View {
  const rows = new Map<string, string>();
  const tails = new Map<string, Row>();
  let head = { version: 0, record: null as HeadRecord | null, now: 0 };
  for (const { part, place, key, value } of parts as LoadedPart[]) {
    if (part === "head") {
      const record = value === null ? null : (JSON.parse(value) as HeadRecord);
      head = { version: Number(place ?? 0), record, now: Number(key) };
    } else if (part === "row") rows.set(key, unpackValue(value ?? ""));
    else tails.set(place ?? "", { key, value: unpackValue(value ?? "") });
  }
  return { ...head, rows, tails };
}

/** How statements name a session. */
export function nameOf({ scope, agent, sessionId }: SessionKey): PostgresValue[] {
  return [scope.tenant, agent, sessionId];
}
