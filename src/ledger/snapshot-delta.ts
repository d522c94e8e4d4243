import {
  applyPatch,
  type Artifact,
  type Json,
  type JsonPatchOperation,
  type Message,
} from "../protocol/index.ts";
import { GrownList } from "./grown-list.ts";
import { followRecipe, type ListRecipe } from "./list-recipe.ts";
import type { SessionContent } from "./session-content.ts";

/** What one snapshot adds to its parent's content. A part that is not named stays as it was. */
export interface SnapshotDelta {
  /** A checkpoint: starts from nothing instead of from the parent. */
  readonly whole?: true;
  readonly messages?: ListRecipe<Message>;
  readonly artifacts?: ListRecipe<Artifact>;
  readonly custom?: ValueChange;
  readonly promptInput?: ValueChange;
}

export type ValueChange =
  | { readonly set: Json }
  | { readonly patch: readonly JsonPatchOperation[] }
  | { readonly unset: true };

/** The delta that holds the content by itself. */
export function wholeDelta(content: SessionContent): SnapshotDelta {
  return {
    whole: true,
    ...(content.messages.length > 0 && { messages: [{ add: content.messages.all() }] }),
    ...(content.artifacts.length > 0 && { artifacts: [{ add: content.artifacts }] }),
    ...(content.custom !== undefined && { custom: { set: content.custom } }),
    ...(content.promptInput !== undefined && { promptInput: { set: content.promptInput } }),
  };
}

/** Content from deltas, oldest first. */
export function foldDeltas(
  deltas: readonly SnapshotDelta[],
  start: SessionContent,
): SessionContent {
  let { messages, artifacts, custom, promptInput } = start;
  for (const delta of deltas) {
    if (delta.whole) {
      [messages, artifacts, custom, promptInput] = [GrownList.of([]), [], undefined, undefined];
    }
    if (delta.messages) messages = changedMessages(messages, delta.messages);
    if (delta.artifacts) artifacts = followRecipe(artifacts, delta.artifacts);
    custom = changedValue(custom, delta.custom);
    promptInput = changedValue(promptInput, delta.promptInput);
  }
  return {
    messages,
    artifacts,
    ...(custom !== undefined && { custom }),
    ...(promptInput !== undefined && { promptInput }),
  };
}

// A history that only grew is one list: a thousand turns are one pass, not a thousand copies.
function changedMessages(
  messages: GrownList<Message>,
  recipe: ListRecipe<Message>,
): GrownList<Message> {
  const added = grownMessages(messages, recipe);
  return added ? messages.grow(added) : GrownList.of(followRecipe(messages.all(), recipe));
}

// What the recipe adds, when it keeps every message in place and only adds behind them.
function grownMessages(
  messages: GrownList<Message>,
  recipe: ListRecipe<Message>,
): readonly Message[] | undefined {
  const [first, second, ...rest] = recipe;
  if (first === undefined || rest.length > 0) return undefined;
  if ("add" in first) return messages.length === 0 && second === undefined ? first.add : undefined;
  const keepsAll = first.take[0] === 0 && first.take[1] === messages.length;
  if (!keepsAll || second === undefined) return keepsAll ? [] : undefined;
  return "add" in second ? second.add : undefined;
}

function changedValue(value: Json | undefined, change: ValueChange | undefined): Json | undefined {
  if (change === undefined) return value;
  if ("set" in change) return change.set;
  if ("patch" in change) return applyPatch(value ?? null, change.patch);
  return undefined;
}
