import { type AgentFinishReason, TurnkeepError } from "../protocol/index.ts";
import { turnAborted } from "./turn-lease.ts";

/** How a turn ends that this error came out of. */
export function failureReason(error: unknown): AgentFinishReason {
  if (!TurnkeepError.is(error)) return "failed";
  if (error.reason === "RUN_ABORTED") return "aborted";
  return error.reason === "UNKNOWN_TOOL_OUTCOME" ? "interrupted" : "failed";
}

/** Whether somebody else has written the turn's end, or will. */
export function isLost(error: unknown): boolean {
  return isTaken(error) || failureReason(error) === "aborted";
}

/** Why a turn stopped that was told to. A caller's own signal may abort with any reason; to the run they all mean the same. */
export function stopError(reason: unknown): unknown {
  return isTaken(reason) ? reason : turnAborted();
}

/** Whether the turn is another worker's now, who will write its end. */
export function isTaken(error: unknown): boolean {
  return TurnkeepError.is(error) && error.reason === "TURN_TAKEN";
}
