import type { HeadRecord } from "./head-record.ts";
import type { SeenSession } from "./seen-session.ts";
import type { Commit, Row, View, Want } from "./session-store.ts";

/**
 * One rule of the ledger: what a request does to a session. Pure: it says which rows it must see, then decides from
 * them alone. Reading, committing and trying again is `runStep`'s.
 */
export interface Step<Answer> {
  /** What to read, given the record; `null` before it is known. */
  readonly want: (record: HeadRecord | null) => Want;
  readonly decide: (view: View) => Decision<Answer>;
  /** How many snapshots it adds to a session at most; absent for a step that adds none. */
  readonly adds?: ((record: HeadRecord) => number) | undefined;
  /**
   * What the first try builds on, without any rows, instead of reading. Only for a step that puts each row it wants to be absent, so that a commit finds it,
   * and changes nothing where a row is missing that must be there.
   */
  readonly seen?: SeenSession | undefined;
}

export interface Decision<Answer> {
  readonly answer: Answer;
  /** What to commit; nothing when absent. */
  readonly change?: Change;
  /**
   * Keys of rows that only this very request can have brought about, at least one of which lasts: they tell whether a commit whose
   * answer was lost was written. A row of the change must also have the same value.
   */
  readonly witnesses?: readonly string[];
}

/** For a step that adds one snapshot. */
export const addsOne = (): number => 1;

export type Change = Omit<Commit, "expect">;

/** The row's value, if it was wanted and is there. The caller knows what rows of this kind hold. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- saves a cast at every call
export function findRow<Value>(view: Pick<View, "rows">, key: string): Value | undefined {
  const text = view.rows.get(key);
  return text === undefined ? undefined : (JSON.parse(text) as Value);
}

export function jsonRow(key: string, value: unknown): Row {
  return { key, value: JSON.stringify(value) };
}

/** The record of a session that is there; `null` stands for one that was never written and for a deleted one. */
export function livingRecord(record: HeadRecord | null): HeadRecord | null {
  return record === null || record.deletedAt !== undefined ? null : record;
}
