import type { Row } from "../../ledger/index.ts";
import { packRow, unpackValue } from "../packed-value.ts";

/**
 * A session's rows are members of one sorted set, `key NUL value`, all with the same score, so that Redis keeps them in byte order of their
 * keys: one structure for finding, ranging and dropping, and no key stored twice. Keys hold no NUL, and nothing below `!`.
 */
export function toMember(row: Row): string {
  const { key, value } = packRow(row);
  return `${key}\0${value}`;
}

export function rowFromMember(member: string): Row {
  const { key, value } = keptRow(member);
  return { key, value: unpackValue(value) };
}

/** The row as it is kept. */
export function keptRow(member: string): Row {
  const end = member.indexOf("\0");
  return { key: member.slice(0, end), value: member.slice(end + 1) };
}
