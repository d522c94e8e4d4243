import {
  type AgentOutput,
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

// What these say comes from databases, providers and bugs, and is for the server's own log.
const UNTOLD: ReadonlySet<StatusName> = new Set(["INTERNAL", "UNKNOWN", "DATA_LOSS"]);
const UNTOLD_MESSAGE = "Something went wrong on the server.";

/** What of an error its client may know: the text of our own errors, the status of others. */
export function toClientError(error: unknown): ClientError {
  if (!TurnkeepError.is(error) || !isStatusName(error.status) || UNTOLD.has(error.status)) {
    const status =
      TurnkeepError.is(error) && isStatusName(error.status) ? error.status : "INTERNAL";
    return { status, message: UNTOLD_MESSAGE };
  }
  const { status, message, reason, retryable, details } = error;
  const all = {
    ...(reason !== undefined && { reason }),
    ...(retryable && { retryable }),
    ...details,
  };
  return { status, message, ...(Object.keys(all).length > 0 && { details: all }) };
}

/** Why a turn failed, as its client is told it. */
export function hideInternals(error: RuntimeError): RuntimeError {
  const { status = "INTERNAL" } = error;
  return UNTOLD.has(status) ? { status, message: UNTOLD_MESSAGE } : error;
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
