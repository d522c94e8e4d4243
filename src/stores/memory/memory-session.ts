import type { Append, AppendOutcome, Commit, HeadRecord, SessionKey } from "../../ledger/index.ts";
import { MemoryRows } from "./memory-rows.ts";

/** One session: its record as text, what calls look up without parsing it, and its rows. */
export class MemorySession {
  readonly key: SessionKey;
  readonly rows: MemoryRows = new MemoryRows();
  version = 0;
  record = "";
  epoch = 0;
  activeSnapshotId: string | undefined;
  isBusy = false;
  isDeleted = false;
  dueAt: number | null = null;
  sweepAt: number | null = null;
  updatedAt = 0;

  constructor(key: SessionKey) {
    this.key = key;
  }

  /** Whether any of the rows to put is there already, or twice among them. */
  collides(put: Commit["put"] = []): boolean {
    if (put.some((row) => this.rows.has(row.key))) return true;
    return new Set(put.map((row) => row.key)).size < put.length;
  }

  apply(record: HeadRecord, { put = [], drop = [] }: Commit): void {
    this.rows.drop(drop);
    for (const row of put) this.rows.insert(row);
    this.version += 1;
    this.record = JSON.stringify(record);
    this.epoch = record.epoch;
    this.activeSnapshotId = record.active?.snapshotId;
    this.isBusy = record.active !== null || record.queue.length > 0;
    this.isDeleted = record.deletedAt !== undefined;
    this.dueAt = record.dueAt;
    this.sweepAt = record.sweepAt;
    this.updatedAt = record.updatedAt;
  }

  append({ fence, rows }: Append): AppendOutcome {
    if (this.epoch !== fence.epoch || this.activeSnapshotId !== fence.snapshotId) return "fenced";
    const added = new Map<string, string>();
    for (const { key, value } of rows) {
      const present = added.get(key) ?? this.rows.get(key);
      if (present !== undefined && present !== value) return "fenced";
      if (present === undefined) added.set(key, value);
    }
    for (const [key, value] of added) this.rows.insert({ key, value });
    return "ok";
  }
}
