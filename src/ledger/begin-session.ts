import type { JsonObject } from "../protocol/index.ts";
import type { ContentChange } from "./content-change.ts";
import { freshRecord } from "./fresh-record.ts";
import type { HeadRecord, SnapshotOrigin } from "./head-record.ts";
import { placeContent } from "./place-content.ts";
import { snapshotKey } from "./row-key.ts";
import type { Row } from "./session-store.ts";
import type { Snapshot } from "./snapshot.ts";
import { snapshotRow } from "./snapshot-row.ts";

/** What a session begins with that no turn made. */
export interface Beginning {
  readonly snapshotId: string;
  readonly change: ContentChange;
  readonly forkedFrom?: SnapshotOrigin;
  /** What is noted of it from the start. */
  readonly metadata?: JsonObject;
}

/** The first commit of a session. */
export interface BegunSession {
  readonly snapshot: Snapshot;
  readonly record: HeadRecord;
  readonly put: readonly Row[];
}

/** Begins a session with a snapshot that holds the content by itself. `before` is the record of a deleted session of the same name. */
export function beginSession(
  { snapshotId, change, forkedFrom, metadata }: Beginning,
  before: HeadRecord | null,
  now: number,
): BegunSession {
  const { stored, row } = placeContent(change, { next: undefined, newBranch: 1 });
  const own = snapshotKey(snapshotId);
  const snapshot: Snapshot = {
    snapshotId,
    status: "completed",
    createdAt: now,
    updatedAt: now,
    rev: 1,
    forkedFrom,
    stateVersion: change.content.stateVersion,
    ...stored,
  };
  const record: HeadRecord = {
    ...freshRecord(before, now),
    rev: 1,
    head: snapshotId,
    chain: [[own, own], ...stored.chain],
    branches: 1,
    counts: stored.counts,
    forkedFrom,
    about: metadata && { metadata },
  };
  return { snapshot, record, put: [snapshotRow(snapshot), ...(row ? [row] : [])] };
}
