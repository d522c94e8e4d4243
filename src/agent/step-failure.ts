import { type ErrorReason, type StatusName, TurnkeepError } from "../protocol/index.ts";
import { toRuntimeError } from "./to-runtime-error.ts";

/** The error of a step as it is stored. */
export interface StepFailure {
  readonly name: string;
  readonly message: string;
  readonly status: StatusName;
  /** What a `TurnkeepError` says besides. */
  readonly turnkeep?: {
    readonly reason?: ErrorReason;
    readonly retryable: boolean;
    readonly details: Readonly<Record<string, unknown>>;
  };
}

export function stepFailure(error: unknown): StepFailure {
  const { message, status = "INTERNAL", details = {} } = toRuntimeError(error);
  const name = error instanceof Error ? error.name : "Error";
  if (!TurnkeepError.is(error)) return { name, message, status };
  const { reason, retryable } = error;
  const { reason: _, ...rest } = details as Readonly<Record<string, unknown>>;
  const turnkeep = { ...(reason !== undefined && { reason }), retryable, details: rest };
  return { name, message, status, turnkeep };
}

/** An error that tells the same as the one that was stored: name, message, status and, for a `TurnkeepError`, reason and details. */
export function stepError({ name, message, status, turnkeep }: StepFailure): Error {
  if (turnkeep) return new TurnkeepError(status, message, turnkeep);
  return Object.assign(new Error(message), { name, ...(status !== "INTERNAL" && { status }) });
}
