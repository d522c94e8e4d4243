import {
  type ErrorReason,
  isStatusName,
  type RuntimeError,
  type StatusName,
  TurnkeepError,
} from "../protocol/index.ts";
import { storedCopy } from "./plain-copy.ts";

/** Any error as data, with its status if it has one. The message is for the server's own eyes: what clients see of it is HTTP's to decide. */
export function toRuntimeError(error: unknown): RuntimeError {
  const message = messageOf(error);
  const status = statusOf(error);
  const details = isProviders(error, status) ? { reason: PROVIDER_ERROR } : detailsOf(error);
  return { status, message, ...(details !== undefined && { details }) };
}

const MAX_MESSAGE_LENGTH = 100_000;

// Whatever was thrown, it can be told and stored.
function messageOf(error: unknown): string {
  try {
    const message = String(error instanceof Error ? error.message : error);
    const isLong = message.length > MAX_MESSAGE_LENGTH;
    return isLong
      ? `${message.slice(0, MAX_MESSAGE_LENGTH)}… (${message.length} characters)`
      : message;
  } catch {
    return "An error without a readable message.";
  }
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
  const all = { ...(reason !== undefined && { reason }), ...storable(details) };
  return Object.keys(all).length === 0 ? undefined : all;
}

// An error is told even if its details cannot be: then they say why not.
function storable(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    return storedCopy(details, "details");
  } catch (error) {
    return { detailsError: messageOf(error) };
  }
}
