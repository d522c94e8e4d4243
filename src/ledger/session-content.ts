import type { Artifact, Json, Message, SessionState } from "../protocol/index.ts";
import { freezeGrown, freezeJson } from "./freeze-json.ts";
import { GrownList } from "./grown-list.ts";

/** What a snapshot captures: the state of a session without its id. Frozen, and shared between snapshots. */
export interface SessionContent {
  readonly messages: GrownList<Message>;
  readonly custom?: Json;
  readonly artifacts: readonly Artifact[];
  readonly promptInput?: Json;
  /** Which version of its schema the custom state follows; absent for a state without versions. Kept on the snapshot, beside the content. */
  readonly stateVersion?: number;
}

export const EMPTY_CONTENT: SessionContent = Object.freeze({
  messages: GrownList.of<Message>(Object.freeze([])),
  artifacts: Object.freeze([]),
});

/**
 * Freezes content that grew from `base`, in time that depends on what is new.
 *
 * @throws TurnkeepError INVALID_ARGUMENT naming the place of anything that is not plain JSON data.
 */
export function freezeContent(content: SessionContent, base: SessionContent): SessionContent {
  const { messages, artifacts, custom, promptInput } = content;
  freezeGrown(messages, base.messages, "/messages");
  freezePart(artifacts, base.artifacts, "/artifacts");
  freezePart(custom, base.custom, "/custom");
  freezePart(promptInput, base.promptInput, "/promptInput");
  return Object.freeze(content);
}

function freezePart(part: unknown, before: unknown, at: string): void {
  if (part !== before && part !== undefined) freezeJson(part, at);
}

/** The content as clients know it: a state without its id. */
export function stateOf(content: SessionContent): Omit<SessionState, "sessionId"> {
  return { ...content, messages: content.messages.all() };
}

/** The content with some parts changed; unset members are absent. Built up member by member, so that all contents with the same parts have one shape. */
export function changedContent(
  content: SessionContent,
  change: Partial<SessionContent>,
): SessionContent {
  const { messages = content.messages, artifacts = content.artifacts } = change;
  const { custom = content.custom, promptInput = content.promptInput } = change;
  const { stateVersion } = content;
  return contentFrom({ messages, artifacts, custom, promptInput, stateVersion });
}

export function contentFrom({
  messages,
  artifacts,
  custom,
  promptInput,
  stateVersion,
}: {
  readonly messages: SessionContent["messages"];
  readonly artifacts: SessionContent["artifacts"];
  readonly custom: Json | undefined;
  readonly promptInput: Json | undefined;
  readonly stateVersion: number | undefined;
}): SessionContent {
  const content: { -readonly [Part in keyof SessionContent]: SessionContent[Part] } = {
    messages,
    artifacts,
  };
  if (custom !== undefined) content.custom = custom;
  if (promptInput !== undefined) content.promptInput = promptInput;
  if (stateVersion !== undefined) content.stateVersion = stateVersion;
  return Object.freeze(content);
}
