import type { StatusName } from "./status.ts";

/** Why, more precisely than a status can say. Programs may branch on it. */
export type ErrorReason =
  | "ALREADY_ANSWERED"
  | "ATTEMPTS_EXHAUSTED"
  | "BODY_TOO_LARGE"
  | "BODY_TOO_SLOW"
  | "IDEMPOTENCY_MISMATCH"
  | "IMPORT_REFUSED"
  | "INPUT_REFUSED"
  | "INTERRUPT_PENDING"
  | "LIMIT_EXCEEDED"
  | "METHOD_NOT_ALLOWED"
  | "MIGRATION_FAILED"
  | "MIGRATION_MISSING"
  | "NOT_CONTINUABLE"
  | "PATCH_REFUSED"
  | "PROVIDER_ERROR"
  | "QUEUE_FULL"
  | "REDACTION_FAILED"
  | "RUN_ABORTED"
  | "RUN_OVER"
  | "SCHEMA_TOO_NEW"
  | "SESSION_BUSY"
  | "SNAPSHOT_CORRUPT"
  | "STALE_HEAD"
  | "STATE_REFUSED"
  | "STATE_TOO_NEW"
  | "STORAGE_FULL"
  | "STORAGE_READ_ONLY"
  | "STORE_BUSY"
  | "STORE_CLOSED"
  | "STORE_UNSUITABLE"
  | "TOO_MANY_REQUESTS"
  | "TOO_MANY_RUNS"
  | "TOO_MANY_STREAMS"
  | "TURN_TAKEN"
  | "UNKNOWN_OUTCOME"
  | "UNKNOWN_TOOL_OUTCOME"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "URL_TOO_LONG";

/** What an error says besides its status and its message. */
export interface TurnkeepErrorOptions {
  readonly cause?: unknown;
  readonly reason?: ErrorReason;
  /** The same call may succeed later without any change. */
  readonly retryable?: boolean;
  /** Facts a caller may branch on or log. JSON-safe: they cross the wire. */
  readonly details?: Readonly<Record<string, unknown>>;
}

// A registered symbol survives two copies of the package in one process; `instanceof` does not.
const BRAND = Symbol.for("turnkeep/error");

/** Every error Turnkeep raises itself. The message names what to do about it. */
export class TurnkeepError extends Error {
  override readonly name: string = "TurnkeepError";
  readonly status: StatusName;
  readonly reason: ErrorReason | undefined;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: StatusName, message: string, options: TurnkeepErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.reason = options.reason;
    this.retryable = options.retryable ?? false;
    this.details = options.details ?? {};
    Object.defineProperty(this, BRAND, { value: true });
  }

  static is(value: unknown): value is TurnkeepError {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}
