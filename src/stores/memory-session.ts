import {
  type Append,
  type AppendOutcome,
  type Commit,
  freezeRecord,
  type HeadRecord,
  isFrozenRecord,
  type Row,
  type SessionKey,
} from "../ledger/index.ts";
import { MemoryRows } from "./memory-rows.ts";

/** One session: its record, which nobody can change in place, and its rows. */
export class MemorySession {
  readonly name: string;
  readonly key: SessionKey;
  readonly rows: MemoryRows = new MemoryRows();
  version = 0;
  /** Set by the first commit; before that nobody finds the session. */
  record!: HeadRecord;

  constructor(name: string, key: SessionKey) {
    this.name = name;
    this.key = { ...key };
  }

  /** Whether any of the rows to put is there already, or twice among them. */
  collides(put: Commit["put"] = []): boolean {
    if (put.some((row) => this.rows.has(row.key))) return true;
    return put.length <= FEW_ROWS
      ? put.some(({ key }, index) => isAmong(key, put, index))
      : new Set(put.map((row) => row.key)).size < put.length;
  }

  apply(record: HeadRecord, { put = [], drop = [] }: Commit): void {
    this.rows.drop(drop);
    for (const row of put) this.rows.insert(row);
    this.version += 1;
    this.record = unchangeable(record);
  }

  append({ fence, rows }: Append): AppendOutcome {
    const { record } = this;
    const isHeld = record.epoch === fence.epoch && record.active?.snapshotId === fence.snapshotId;
    if (!isHeld) return "fenced";
    const isTaken = ({ key, value }: Row): boolean => (this.rows.get(key) ?? value) !== value;
    if (rows.some(isTaken) || differ(rows)) return "fenced";
    for (const row of rows) if (!this.rows.has(row.key)) this.rows.insert(row);
    return "ok";
  }
}

// So many are compared faster with each other than put into a set.
const FEW_ROWS = 8;

function isAmong(key: string, rows: readonly Row[], end: number): boolean {
  for (let index = 0; index < end; index += 1) if (rows[index]?.key === key) return true;
  return false;
}

/** Whether rows of one name have different values. */
function differ(rows: readonly Row[]): boolean {
  if (rows.length < 2) return false;
  const values = new Map(rows.map(({ key, value }) => [key, value]));
  return rows.some(({ key, value }) => values.get(key) !== value);
}

// The ledger's records are frozen and shared as they are. Others are copied: whoever made one may go on changing it.
function unchangeable(record: HeadRecord): HeadRecord {
  if (isFrozenRecord(record)) return record;
  return freezeRecord(JSON.parse(JSON.stringify(record)) as HeadRecord);
}
