import {
  type ErrorReason,
  isStatusName,
  type RuntimeError,
  type StatusName,
  TurnkeepError,
} from "../protocol/index.ts";

/** Any error as data, with its status if it has one. The message is for the server's own eyes: what clients see of it is HTTP's to decide. */
export function toRuntimeError(error: unknown): RuntimeError {
  const message = error instanceof Error ? error.message : String(error);
  const status = statusOf(error);
  const details = isProviders(error, status) ? { reason: PROVIDER_ERROR } : detailsOf(error);
  return { status, message, ...(details !== undefined && { details }) };
}

const PROVIDER_ERROR: ErrorReason = "PROVIDER_ERROR";

// With a status clients may know, but the words of a provider or a library. Genkit has a class for errors whose words are for everybody.
function isProviders(error: unknown, status: StatusName): boolean {
  const isMeant = error instanceof Error && error.name === "UserFacingError";
  return status !== "INTERNAL" && !TurnkeepError.is(error) && !isMeant;
}

function statusOf(error: unknown): StatusName {
  if (
    typeof error === "object" &&
    error !== null &&
    "status" in error &&
    isStatusName(error.status)
  ) {
    return error.status;
  }
  return "INTERNAL";
}

function detailsOf(error: unknown): RuntimeError["details"] {
  if (!TurnkeepError.is(error)) return undefined;
  const { reason, details } = error;
  const all = { ...(reason !== undefined && { reason }), ...details };
  return Object.keys(all).length === 0 ? undefined : all;
}
