import type { Artifact, Json, Message } from "../protocol/index.ts";
import { freezeGrown, freezeJson } from "./freeze-json.ts";

/** What a snapshot captures: the state of a session without its id. Frozen, and shared between snapshots. */
export interface SessionContent {
  readonly messages: readonly Message[];
  readonly custom?: Json;
  readonly artifacts: readonly Artifact[];
  readonly promptInput?: Json;
}

export const EMPTY_CONTENT: SessionContent = freezeJson({ messages: [], artifacts: [] });

/**
 * Freezes content that grew from `base`, in time that depends on what is new.
 *
 * @throws TurnkeepError INVALID_ARGUMENT naming the place of anything that is not plain JSON data.
 */
export function freezeContent(content: SessionContent, base: SessionContent): SessionContent {
  freezeGrown(content.messages, base.messages);
  return freezeJson(content);
}
