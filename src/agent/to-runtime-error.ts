import {
  isStatusName,
  type RuntimeError,
  type StatusName,
  TurnkeepError,
} from "../protocol/index.ts";

/** Any error as data, with its status if it has one. The message is for the server's own eyes: what clients see of it is HTTP's to decide. */
export function toRuntimeError(error: unknown): RuntimeError {
  const message = error instanceof Error ? error.message : String(error);
  const details = detailsOf(error);
  return { status: statusOf(error), message, ...(details !== undefined && { details }) };
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
