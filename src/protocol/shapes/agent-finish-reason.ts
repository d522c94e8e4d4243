import type { Reader } from "../schema/reader.ts";
import { nameFrom } from "../schema/scalars.ts";

/** Why a turn or a run ended. */
export type AgentFinishReason =
  | "stop"
  | "length"
  | "blocked"
  | "interrupted"
  | "other"
  | "unknown"
  | "aborted"
  | "detached"
  | "failed";

/** Every reason a turn or a run may end for. */
export const FINISH_REASONS: readonly AgentFinishReason[] = [
  "stop",
  "length",
  "blocked",
  "interrupted",
  "other",
  "unknown",
  "aborted",
  "detached",
  "failed",
];

export const readFinishReason: Reader<AgentFinishReason> = nameFrom(FINISH_REASONS);
