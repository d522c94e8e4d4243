import { TurnkeepError, type TurnkeepErrorOptions } from "../turnkeep-error.ts";
import type { RuntimeError } from "./runtime-error.ts";

/** @internal An error that came as data, to be thrown. */
export function errorFromData(error: RuntimeError, cause?: unknown): TurnkeepError {
  const { status = "INTERNAL", message, details } = error;
  const { reason, retryable, ...rest } = (details ?? {}) as TurnkeepErrorOptions;
  return new TurnkeepError(status, message, {
    cause,
    ...(typeof reason === "string" && { reason }),
    retryable: retryable === true,
    details: { ...rest },
  });
}
