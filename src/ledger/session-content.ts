import type { Artifact, Json, Message } from "../protocol/index.ts";
import { freezeJson } from "./freeze-json.ts";

/** What a snapshot captures: the state of a session without its id. Frozen, and shared between snapshots. */
export interface SessionContent {
  readonly messages: readonly Message[];
  readonly custom?: Json;
  readonly artifacts: readonly Artifact[];
  readonly promptInput?: Json;
}

export const EMPTY_CONTENT: SessionContent = freezeJson({ messages: [], artifacts: [] });
