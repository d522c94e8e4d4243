import type { Place } from "../schema/place.ts";
import { text } from "../schema/scalars.ts";

const SNAPSHOT_EVENTS = ["turn-end", "invocation-end", "tool-round", "edit", "fork"] as const;

/**
 * What made a snapshot: the end of a turn, the end of a run that changed the state after its last turn, a round of tools inside of a turn, somebody who edited
 * another snapshot, or a fork.
 */
export type SnapshotEventName = (typeof SNAPSHOT_EVENTS)[number];

/** A name that is not known is left out: it may be that of a later version. */
export function readSnapshotEvent(value: unknown, place: Place): SnapshotEventName | undefined {
  const name = text(value, place);
  return SNAPSHOT_EVENTS.find((known) => known === name);
}
