import {
  type AgentOutput,
  type ErrorReason,
  httpCodeOf,
  isStatusName,
  type RuntimeError,
  type SessionSnapshot,
  type StatusName,
  TurnkeepError,
} from "../protocol/index.ts";

/** An error as a client is told it. */
export interface ClientError {
  readonly status: StatusName;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

const PROVIDER_FAILED = "The agent could not go on.";
const WENT_WRONG = "Something went wrong on the server.";

// What these say comes from databases, providers and bugs, and is for the server's own log. Clients are told this instead.
const UNTOLD: ReadonlyMap<StatusName, string> = new Map([
  ["INTERNAL", WENT_WRONG],
  ["UNKNOWN", WENT_WRONG],
  ["DATA_LOSS", WENT_WRONG],
  ["UNAVAILABLE", "The server cannot do this now. Try again a little later."],
]);

// Faults of the server, whatever their status says to its own code.
const OWN_FAULTS: ReadonlySet<ErrorReason | undefined> = new Set([
  "MIGRATION_FAILED",
  "MIGRATION_MISSING",
  "SCHEMA_TOO_NEW",
  "STATE_TOO_NEW",
  "STORE_CLOSED",
  "STORE_UNSUITABLE",
]);

/** What of an error its client may know: the text of our own errors, the status of others. */
export function toClientError(error: unknown): ClientError {
  if (!TurnkeepError.is(error)) return { status: "INTERNAL", message: WENT_WRONG };
  const status = statusOf(error);
  const { reason, retryable } = error;
  const untold = UNTOLD.get(status);
  const details = {
    ...(reason !== undefined && { reason }),
    ...(retryable && { retryable }),
    ...(untold === undefined && error.details),
  };
  return {
    status,
    message: untold ?? error.message,
    ...(Object.keys(details).length > 0 && { details }),
  };
}

/** Whether the client is not told what happened, so that somebody else has to be. */
export function isUntold({ status }: Pick<ClientError, "status">): boolean {
  return UNTOLD.has(status);
}

/** Why a turn failed, as its client is told it. */
function hideInternals(error: RuntimeError): RuntimeError {
  const { status, message } = toClientError(toError(error));
  if (isUntold({ status })) return { status, message };
  return isProviders(error) ? { status, message: PROVIDER_FAILED } : error;
}

/** Whether the client is not told in its own words why a turn failed. */
export function isHidden(error: RuntimeError): boolean {
  return isProviders(error) || isUntold(toClientError(toError(error)));
}

// The words of a provider, under a status that says enough.
function isProviders(error: RuntimeError): boolean {
  return toError(error).reason === "PROVIDER_ERROR";
}

/** The error that came as data. */
export function toError({ status = "INTERNAL", message, details }: RuntimeError): TurnkeepError {
  const isObject = typeof details === "object" && details !== null && !Array.isArray(details);
  const { reason, ...rest } = (isObject ? details : {}) as Readonly<Record<string, unknown>>;
  return new TurnkeepError(status, message, {
    ...(isReason(reason) && { reason }),
    details: rest,
  });
}

function isReason(value: unknown): value is ErrorReason {
  return typeof value === "string" && /^[A-Z_]{1,40}$/.test(value);
}

export function shownOutput<Output extends Pick<AgentOutput, "error">>(output: Output): Output {
  return output.error ? { ...output, error: hideInternals(output.error) } : output;
}

export function shownSnapshot<Snapshot extends Pick<SessionSnapshot, "error">>(
  snapshot: Snapshot,
): Snapshot {
  return snapshot.error ? { ...snapshot, error: hideInternals(snapshot.error) } : snapshot;
}

export function errorCodeOf({ status }: ClientError): number {
  return httpCodeOf(status);
}

function statusOf({ status, reason }: TurnkeepError): StatusName {
  if (OWN_FAULTS.has(reason)) return "UNAVAILABLE";
  return isStatusName(status) ? status : "INTERNAL";
}
