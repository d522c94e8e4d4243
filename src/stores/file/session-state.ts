import {
  type Commit,
  freezeRecord,
  type HeadRecord,
  type KeyRange,
  type Row,
  type SessionKey,
} from "../../ledger/index.ts";
import { MemoryRows } from "../memory-rows.ts";
import type {
  BaseHeader,
  BaseRef,
  CheckedFile,
  CommitHeader,
  EntryHeader,
  Weights,
} from "./checked-file.ts";
import type { Place } from "./store-folder.ts";

/** What was written since the last base: so much that a new base needs no reading of it. */
interface Tail {
  readonly rows: Map<string, string>;
  /** Ranges that took rows away from the bases. */
  readonly drop: KeyRange[];
  count: number;
  bytes: number;
}

const EVERYTHING: KeyRange = ["", "\uFFFF"];

/** What a session's files come to, up to the entry `seq`. */
export class SessionState {
  readonly key: SessionKey;
  readonly rows: MemoryRows = new MemoryRows();
  place: Place;
  seq = 0;
  version = 0;
  record: HeadRecord | null = null;
  live = 0;
  dead = 0;
  /** The files that hold everything but the tail, oldest first. */
  bases: readonly BaseRef[] = [];
  tail: Tail = emptyTail();

  constructor(key: SessionKey, place: Place) {
    this.key = key;
    this.place = place;
  }

  /** Begins with what the bases hold, oldest first. */
  applyBases(files: readonly CheckedFile<BaseHeader>[]): void {
    for (const { header, rows } of files) {
      for (const range of header.drop) this.#drop(range);
      for (const row of rows) this.#insert(row);
    }
    const newest = files.at(-1);
    if (newest === undefined) return;
    this.seq = newest.header.seq;
    this.version = newest.header.version;
    this.#setRecord(newest.header.record);
    this.startGeneration(this.place, newest);
  }

  /** Goes on in a generation whose newest base this is, and which holds the same. */
  startGeneration(place: Place, { header, bytes, checksum }: CheckedFile<BaseHeader>): void {
    this.place = place;
    this.bases = [...header.bases, { seq: header.seq, bytes, checksum }];
    this.dead = header.dead;
    this.tail = emptyTail();
  }

  applyEntry({ header, rows, bytes }: CheckedFile<EntryHeader>): void {
    if (header.type === "commit") {
      for (const range of header.drop) this.#drop(range);
      this.version = header.version;
      this.#setRecord(header.record);
    }
    for (const row of rows) {
      this.#insert(row);
      this.tail.rows.set(row.key, row.value);
    }
    this.seq = header.seq;
    this.tail.count += 1;
    this.tail.bytes += bytes;
  }

  /** The entry for a commit that was found to fit. */
  toCommitHeader({ record, put = [], drop = [] }: Commit): CommitHeader {
    const ranges = drop === "all" || record === null ? [EVERYTHING] : [...drop];
    return {
      type: "commit",
      seq: this.seq + 1,
      version: record === null ? 0 : this.version + 1,
      record,
      drop: ranges,
      ...this.#weightsAfter(put, ranges),
    };
  }

  #weightsAfter(put: readonly Row[], drop: readonly KeyRange[]): Weights {
    const dropped = new Map<string, number>();
    for (const range of drop)
      for (const row of this.rows.between(range)) dropped.set(row.key, weightOf(row));
    const gone = [...dropped.values()].reduce((sum, weight) => sum + weight, 0);
    const added = put.reduce((sum, row) => sum + weightOf(row), 0);
    return { live: this.live - gone + added, dead: this.dead + gone };
  }

  // It is handed out as it is.
  #setRecord(record: HeadRecord | null): void {
    this.record = record === null ? null : freezeRecord(record);
  }

  #insert(row: Row): void {
    this.rows.insert(row);
    this.live += weightOf(row);
  }

  #drop(range: KeyRange): void {
    let isInBase = false;
    for (const row of this.rows.between(range)) {
      this.live -= weightOf(row);
      this.dead += weightOf(row);
      if (!this.tail.rows.delete(row.key)) isInBase = true;
    }
    if (isInBase) this.tail.drop.push(range);
    this.rows.drop([range]);
  }
}

function emptyTail(): Tail {
  return { rows: new Map(), drop: [], count: 0, bytes: 0 };
}

function weightOf({ key, value }: Row): number {
  return key.length + value.length;
}
