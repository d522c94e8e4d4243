import { type Artifact, diffJson, type Json, jsonEqual, type Message } from "../protocol/index.ts";
import { hashContent } from "./content-hash.ts";
import type { StateCounts } from "./head-record.ts";
import { changeOfGrown, changeOfList, keptPrefix, type ListChange } from "./list-recipe.ts";
import { EMPTY_CONTENT, type SessionContent } from "./session-content.ts";
import type { ContentSize, StoredContent } from "./snapshot.ts";
import type { SnapshotDelta, ValueChange } from "./snapshot-delta.ts";

/** A snapshot's content and where it is stored. */
export interface StoredState {
  readonly content: SessionContent;
  readonly stored: StoredContent;
}

/** How a turn changed the content: everything that saving it needs and that does not depend on where it will be stored. */
export interface ContentChange {
  readonly content: SessionContent;
  readonly base: StoredContent | undefined;
  /** What to add to the base; `undefined` when nothing changed. */
  readonly delta: SnapshotDelta | undefined;
  readonly hash: StoredContent["hash"];
  readonly counts: StateCounts;
  readonly size: Omit<ContentSize, "chain">;
}

const EMPTY_SIZE: ContentSize = {
  messages: 0,
  artifacts: 0,
  custom: 0,
  customPatches: 0,
  promptInput: 0,
  chain: 0,
};

/** The change from `base` to frozen `content`. Costs as much as the change, when the two share structure. */
export function changeOfContent(
  base: StoredState | undefined,
  content: SessionContent,
): ContentChange {
  const before = base?.content ?? EMPTY_CONTENT;
  const size = base?.stored.size ?? EMPTY_SIZE;
  const changes: PartChanges = {
    messages: changeOfGrown(before.messages, content.messages),
    artifacts: changeOfList(before.artifacts, content.artifacts),
    custom: changeOfValue(before.custom, content.custom, size),
    promptInput: changeOfValue(before.promptInput, content.promptInput),
  };
  const keptMessages = keptPrefix(changes.messages.recipe);
  return {
    content,
    base: base?.stored,
    delta: deltaOf(changes),
    hash: hashContent(content, base && { content: before, hash: base.stored.hash, keptMessages }),
    counts: { messages: content.messages.length, artifacts: content.artifacts.length },
    size: sizeAfter(size, changes),
  };
}

/** What leads from one content to another; `undefined` when they are the same. */
export function deltaBetween(
  before: SessionContent,
  after: SessionContent,
): SnapshotDelta | undefined {
  return deltaOf({
    messages: changeOfGrown(before.messages, after.messages),
    artifacts: changeOfList(before.artifacts, after.artifacts),
    custom: changeOfValue(before.custom, after.custom),
    promptInput: changeOfValue(before.promptInput, after.promptInput),
  });
}

interface PartChanges {
  readonly messages: ListChange<Message>;
  readonly artifacts: ListChange<Artifact>;
  readonly custom: MeasuredChange;
  readonly promptInput: MeasuredChange;
}

function deltaOf({
  messages,
  artifacts,
  custom,
  promptInput,
}: PartChanges): SnapshotDelta | undefined {
  const delta: SnapshotDelta = {
    ...(!isSame(messages) && { messages: messages.recipe }),
    ...(!isSame(artifacts) && { artifacts: artifacts.recipe }),
    ...(custom.change && { custom: custom.change }),
    ...(promptInput.change && { promptInput: promptInput.change }),
  };
  return Object.keys(delta).length === 0 ? undefined : delta;
}

function sizeAfter(
  before: ContentSize,
  { messages, artifacts, custom, promptInput }: PartChanges,
): ContentChange["size"] {
  return {
    messages: before.messages + sizeOf(messages.added) - sizeOf(messages.dropped),
    artifacts: before.artifacts + sizeOf(artifacts.added) - sizeOf(artifacts.dropped),
    custom: custom.whole ?? before.custom,
    customPatches: custom.whole === undefined ? before.customPatches + custom.patched : 0,
    promptInput: promptInput.whole ?? before.promptInput,
  };
}

function isSame({ recipe, added, dropped }: ListChange<unknown>): boolean {
  return added.length === 0 && dropped.length === 0 && recipe.length <= 1;
}

interface MeasuredChange {
  readonly change?: ValueChange;
  /** Size of the value when the change writes it whole. */
  readonly whole?: number;
  readonly patched: number;
}

// Patches are kept until together they would outgrow the value; then it is written whole again.
function changeOfValue(
  before: Json | undefined,
  after: Json | undefined,
  size?: ContentSize,
): MeasuredChange {
  if (
    before === after ||
    (before !== undefined && after !== undefined && jsonEqual(before, after))
  ) {
    return { patched: 0 };
  }
  if (after === undefined) return { change: { unset: true }, whole: 0, patched: 0 };
  if (before !== undefined && size !== undefined) {
    const patch = diffJson(before, after);
    const patched = JSON.stringify(patch).length;
    if (size.customPatches + patched <= size.custom) return { change: { patch }, patched };
  }
  return { change: { set: after }, whole: JSON.stringify(after).length, patched: 0 };
}

function sizeOf(list: readonly unknown[]): number {
  return list.reduce<number>((sum, element) => sum + JSON.stringify(element).length, 0);
}
