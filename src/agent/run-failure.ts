import { type AgentFinishReason, TurnkeepError } from "../protocol/index.ts";

/** How a turn ends that this error came out of. */
export function failureReason(error: unknown): AgentFinishReason {
  if (!TurnkeepError.is(error)) return "failed";
  if (error.reason === "RUN_ABORTED") return "aborted";
  return error.reason === "UNKNOWN_TOOL_OUTCOME" ? "interrupted" : "failed";
}

/** Whether the turn is another worker's now, who will write its end. */
export function isTaken(error: unknown): boolean {
  return TurnkeepError.is(error) && error.reason === "TURN_TAKEN";
}
