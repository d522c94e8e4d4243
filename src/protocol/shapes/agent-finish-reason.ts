import type { Reader } from "../schema/reader.ts";
import { nameFrom } from "../schema/scalars.ts";

const FINISH_REASONS = [
  "stop",
  "length",
  "blocked",
  "interrupted",
  "other",
  "unknown",
  "aborted",
  "detached",
  "failed",
] as const;

/** Why a turn or a run ended. */
export type AgentFinishReason = (typeof FINISH_REASONS)[number];

export const readFinishReason: Reader<AgentFinishReason> = nameFrom(FINISH_REASONS);
