import {
  type Artifact,
  diffJson,
  type JsonPatchOperation,
  type Message,
} from "../protocol/index.ts";
import { changeOfGrown, changeOfList, keptPrefix } from "./list-recipe.ts";
import type { KeyRange } from "./row-key.ts";
import type { SessionContent } from "./session-content.ts";
import type { Snapshot } from "./snapshot.ts";

/** What leads from one content to another. */
export interface ContentComparison {
  readonly same: boolean;
  readonly messages: {
    /** Leading messages that both have. */
    readonly common: number;
    readonly removed: readonly Message[];
    readonly added: readonly Message[];
  };
  readonly custom: readonly JsonPatchOperation[];
  readonly artifacts: {
    readonly removed: readonly Artifact[];
    readonly added: readonly Artifact[];
  };
  readonly promptInput: readonly JsonPatchOperation[];
}

export function compareContents(before: SessionContent, after: SessionContent): ContentComparison {
  const common = keptPrefix(changeOfGrown(before.messages, after.messages).recipe);
  const messages = changeOfList(before.messages.from(common), after.messages.from(common));
  const artifacts = changeOfList(before.artifacts, after.artifacts);
  const custom = diffJson(before.custom ?? null, after.custom ?? null);
  const promptInput = diffJson(before.promptInput ?? null, after.promptInput ?? null);
  const differences = [
    messages.added,
    messages.dropped,
    artifacts.added,
    artifacts.dropped,
    custom,
    promptInput,
  ];
  return {
    same: differences.every(({ length }) => length === 0),
    messages: { common, removed: messages.dropped, added: messages.added },
    custom,
    artifacts: { removed: artifacts.dropped, added: artifacts.added },
    promptInput,
  };
}

/** The rows that the snapshots are folded from, each named once. */
export function sharedRanges(snapshots: readonly Snapshot[]): readonly KeyRange[] {
  const widest = new Map<string, KeyRange>();
  for (const [from, to] of snapshots.flatMap(({ chain }) => chain ?? [])) {
    const known = widest.get(from);
    if (known === undefined || known[1] < to) widest.set(from, [from, to]);
  }
  return [...widest.values()];
}
