import { TurnkeepError } from "../protocol/index.ts";

/** What is not there is `undefined`, and no error. */
export function orMissing(error: unknown): undefined {
  if (TurnkeepError.is(error) && error.status === "NOT_FOUND") return undefined;
  throw error;
}
