import type { ContentChange } from "./content-change.ts";
import { deltaKey, type KeyRange, placeOfDeltaKey } from "./row-key.ts";
import type { Row } from "./session-store.ts";
import type { StoredContent } from "./snapshot.ts";
import { wholeDelta } from "./snapshot-delta.ts";

/** What a row costs to read besides its characters, and what one more range costs. */
const ROW_COST = 128;
const RANGE_COST = 256;
const MOST_RANGES = 48;

// A chain may cost twice its content and this much more before a checkpoint shortens it. The checkpoint then costs at most
// as much as was written since the last one, so storage stays linear, and a history that only grows needs none.
const CHAIN_ALLOWANCE = 64 * 1024;

export interface PlacedContent {
  readonly stored: StoredContent;
  /** The row to put, if the content changed. */
  readonly row: Row | undefined;
  /** Whether the row begins a branch of its own. */
  readonly opensBranch: boolean;
}

/** The key of the delta that would continue the base's branch in a straight line; `undefined` when the change needs none. */
export function nextOnBranch({ base, delta }: ContentChange): string | undefined {
  if (base === undefined || delta === undefined) return undefined;
  const { branch, ordinal } = placeOfDeltaKey(lastKey(base.chain));
  return deltaKey(branch, ordinal + 1);
}

/** Where a change may be stored. */
export interface Places {
  /** Behind its base; `undefined` when that place is taken, or there is no base. */
  readonly next: string | undefined;
  readonly newBranch: number;
}

/** Decides where a change is stored: behind its base if it can, otherwise on a branch of its own, and whether as a checkpoint. */
export function placeContent(change: ContentChange, place: Places): PlacedContent {
  const { base, delta } = change;
  if (base === undefined) return checkpoint(change, deltaKey(place.newBranch, 1), true);
  if (delta === undefined) return { stored: base, row: undefined, opensBranch: false };
  const opensBranch = place.next === undefined;
  const key = place.next ?? deltaKey(place.newBranch, 1);
  const value = JSON.stringify(delta);
  const chain = extendChain(base.chain, key, opensBranch);
  const cost = base.size.chain + value.length + ROW_COST + (opensBranch ? RANGE_COST : 0);
  const isLong = chain.length > MOST_RANGES || cost > 2 * contentSize(change) + CHAIN_ALLOWANCE;
  if (isLong) return checkpoint(change, key, opensBranch);
  return { stored: storedAs(change, chain, cost), row: { key, value }, opensBranch };
}

function checkpoint(change: ContentChange, key: string, opensBranch: boolean): PlacedContent {
  const value = JSON.stringify(wholeDelta(change.content));
  const stored = storedAs(change, [[key, key]], value.length + ROW_COST);
  return { stored, row: { key, value }, opensBranch };
}

function storedAs(change: ContentChange, chain: readonly KeyRange[], cost: number): StoredContent {
  const { messages, artifacts, custom, customPatches, promptInput } = change.size;
  const size = { messages, artifacts, custom, customPatches, promptInput, chain: cost };
  return { chain, hash: change.hash, counts: change.counts, size };
}

function extendChain(
  chain: readonly KeyRange[],
  key: string,
  opensBranch: boolean,
): readonly KeyRange[] {
  const last = chain.at(-1);
  if (opensBranch || last === undefined) return [...chain, [key, key]];
  return [...chain.slice(0, -1), [last[0], key]];
}

function lastKey(chain: readonly KeyRange[]): string {
  return chain.at(-1)![1];
}

function contentSize({ size }: ContentChange): number {
  return size.messages + size.artifacts + size.custom + size.customPatches + size.promptInput;
}
