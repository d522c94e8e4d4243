import type { Row } from "../../ledger/index.ts";

/**
 * A session's rows are members of one sorted set, `key NUL value`, all with the same score, so that Redis keeps them in byte order of their
 * keys: one structure for finding, ranging and dropping, and no key stored twice. Keys hold no NUL, and nothing below `!`.
 */
export function toMember({ key, value }: Row): string {
  return `${key}\0${value}`;
}

export function rowFromMember(member: string): Row {
  const end = member.indexOf("\0");
  return { key: member.slice(0, end), value: member.slice(end + 1) };
}
