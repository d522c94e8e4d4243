import { TurnkeepError } from "../protocol/index.ts";

/** Whether the store was merely away, so that the same call may succeed a little later. */
export function isPassing(error: unknown): boolean {
  return TurnkeepError.is(error) && error.retryable && error.status === "UNAVAILABLE";
}
