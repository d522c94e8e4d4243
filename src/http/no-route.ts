import { TurnkeepError } from "../protocol/index.ts";

/** Why a request finds no route: nothing is there, or not for its method. */
export function nothingHere(allowed: readonly string[]): TurnkeepError {
  if (allowed.length === 0) return new TurnkeepError("NOT_FOUND", "There is nothing here.");
  return new TurnkeepError("INVALID_ARGUMENT", "This method is not for this path.", {
    reason: "METHOD_NOT_ALLOWED",
    details: { allowed: allowed.join(", ") },
  });
}

/** Why a URL of more than this many characters is refused. */
export function urlTooLong(length: number): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", `A URL has at most ${length} characters.`, {
    reason: "URL_TOO_LONG",
  });
}
