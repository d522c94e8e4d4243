import { type RuntimeError, TurnkeepError } from "../protocol/index.ts";

/** An error that came as data. */
export function toError({ status = "INTERNAL", message, details }: RuntimeError): TurnkeepError {
  return new TurnkeepError(status, message, { details: { ...(details as object) } });
}

/** What is not there is `undefined`, and no error. */
export function orMissing(error: unknown): undefined {
  if (TurnkeepError.is(error) && error.status === "NOT_FOUND") return undefined;
  throw error;
}
