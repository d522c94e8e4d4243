import type { Reader } from "../schema/reader.ts";
import { nameFrom } from "../schema/scalars.ts";

const SNAPSHOT_STATUSES = ["pending", "completed", "aborted", "failed", "expired"] as const;

/** How far the turn of a snapshot got. `expired` is found out when reading and never stored. */
export type SnapshotStatus = (typeof SNAPSHOT_STATUSES)[number];

export const readSnapshotStatus: Reader<SnapshotStatus> = nameFrom(SNAPSHOT_STATUSES);
