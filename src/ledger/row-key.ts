import { hashText } from "./sha256.ts";

/** Both ends belong to the range. Keys compare byte by byte. */
export type KeyRange = readonly [from: string, to: string];

/**
 * Every row has a key of one of these kinds. `run`, `input`, `event`, `step`, `turn`, `end` and `request` rows serve a run while it
 * lasts and are swept some time after it; `snapshot` and `delta` rows stay as long as a snapshot needs them, `answer` rows as long as their snapshot, `link`
 * rows as long as the session.
 */
export const SHORT_LIVED: readonly string[] = [
  "run/",
  "input/",
  "event/",
  "step/",
  "turn/",
  "end/",
  "request/",
];

/** Whether the row will be swept soon. A store may keep such rows apart, so that sweeping leaves no holes between lasting ones. */
export function isShortLived(key: string): boolean {
  return SHORT_LIVED.some((prefix) => key.startsWith(prefix));
}

export const runKey = (runId: string): string => `run/${runId}`;
export const endKey = (runId: string): string => `end/${runId}`;
export const inputKey = (runId: string, turn: number): string => `input/${runId}/${number(turn)}`;
export const eventKey = (runId: string, seq: number): string => `event/${runId}/${number(seq)}`;
export const stepKey = (runId: string, step: string): string => `step/${runId}/${step}`;
/** Of a turn that left no snapshot, under the id that was reserved for one. */
export const turnKey = (snapshotId: string): string => `turn/${snapshotId}`;
export const requestKey = (requestHash: string): string => `request/${requestHash}`;
export const snapshotKey = (snapshotId: string): string => `snapshot/${snapshotId}`;
/** Of a turn that answers what the snapshot waits for. */
export const answerKey = (snapshotId: string, count: number): string =>
  `${answerPrefix(snapshotId)}${number(count)}`;
export const linkKey = (agent: string, sessionId: string): string =>
  `link/${hashText(JSON.stringify([agent, sessionId]))}`;
export const deltaKey = (branch: number, ordinal: number): string =>
  `delta/${number(branch)}/${number(ordinal)}`;

export const answerPrefix = (snapshotId: string): string => `answer/${snapshotId}/`;
export const inputPrefix = (runId: string): string => `input/${runId}/`;
export const eventPrefix = (runId: string): string => `event/${runId}/`;
export const stepPrefix = (runId: string): string => `step/${runId}/`;

/** The first seq of the events that an event row holds. */
export function seqOfEventKey(key: string): number {
  return Number.parseInt(key.slice(key.lastIndexOf("/") + 1), 36);
}

/** The branch and ordinal that a delta row's key names. */
export function placeOfDeltaKey(key: string): {
  readonly branch: number;
  readonly ordinal: number;
} {
  const [, branch = "", ordinal = ""] = key.split("/");
  return { branch: Number.parseInt(branch, 36), ordinal: Number.parseInt(ordinal, 36) };
}

/** All rows whose key starts with `prefix`. Keys hold only characters below `~`. */
export const underPrefix = (prefix: string): KeyRange => [prefix, `${prefix}~`];

/** Where to go on reading after `key`. Keys hold no character below `-`. */
export const afterKey = (key: string): string => `${key}!`;

// Fixed width, so that byte order is number order.
function number(value: number): string {
  return value.toString(36).padStart(6, "0");
}
