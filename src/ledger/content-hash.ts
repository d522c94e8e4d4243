import type { Json } from "../protocol/index.ts";
import { canonicalText } from "./canonical-text.ts";
import type { SessionContent } from "./session-content.ts";
import { hashText } from "./sha256.ts";

/** One digest for each part of the content; a part that is not there has none. Equal digests mean equal parts. */
export interface ContentHash {
  readonly messages?: string | undefined;
  readonly custom?: string | undefined;
  readonly artifacts?: string | undefined;
  readonly promptInput?: string | undefined;
}

/** What is known of the content this one grew from. */
export interface HashBase {
  readonly content: SessionContent;
  readonly hash: ContentHash;
  /** How many messages, counted from the first, both have in common. */
  readonly keptMessages: number;
}

/** Lists are chained element by element, so a longer history costs only what was added to it. */
export function hashContent(content: SessionContent, base?: HashBase): ContentHash {
  return {
    messages: hashMessages(content, base),
    custom:
      base && content.custom === base.content.custom ? base.hash.custom : hashValue(content.custom),
    artifacts:
      base && content.artifacts === base.content.artifacts
        ? base.hash.artifacts
        : hashList(content.artifacts),
    promptInput: hashValue(content.promptInput),
  };
}

/** One digest for all parts. */
export function digestOf({ messages, custom, artifacts, promptInput }: ContentHash): string {
  return hashText(JSON.stringify([messages, custom, artifacts, promptInput]));
}

export function sameHash(left: ContentHash, right: ContentHash): boolean {
  return (
    left.messages === right.messages &&
    left.custom === right.custom &&
    left.artifacts === right.artifacts &&
    left.promptInput === right.promptInput
  );
}

function hashMessages(
  { messages }: SessionContent,
  base: HashBase | undefined,
): string | undefined {
  const grown = base !== undefined && base.keptMessages === base.content.messages.length;
  return grown
    ? hashList(messages.from(base.keptMessages), base.hash.messages)
    : hashList(messages.from(0));
}

function hashList(list: readonly unknown[], start?: string): string | undefined {
  let hash = start;
  for (const element of list) hash = hashText(`${hash ?? ""}${canonicalText(element as Json)}`);
  return hash;
}

function hashValue(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : hashText(canonicalText(value));
}
