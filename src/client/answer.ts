import {
  ANSWER_LIMITS,
  errorFromData,
  isReservedKey,
  type StatusName,
  TurnkeepError,
} from "../protocol/index.ts";

// The parsers of the protocol would take half of the room a browser client may fill. What a server says is checked here for what could do harm on the
// way: its size, its depth and its keys. Ids and patches are checked where they are used.

export type Fields = Readonly<Record<string, unknown>>;

/** @throws TurnkeepError INVALID_ARGUMENT when the text is no sound JSON. */
export function parseAnswer(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unsound();
  }
  checkKeys(value, 0);
  return value;
}

/** @throws TurnkeepError INVALID_ARGUMENT when the value is no object. */
export function fieldsOf(value: unknown): Fields {
  if (isObject(value)) return value;
  throw unsound();
}

/** @throws TurnkeepError INVALID_ARGUMENT when the value is no list. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw unsound();
}

/** @throws TurnkeepError INVALID_ARGUMENT when the value is no text with something in it. */
export function textOf(value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw unsound();
}

/** The error that an answer tells of. */
export function errorFrom(value: unknown, code: number, retryAfterMs?: number): TurnkeepError {
  const { status, message, details } = isObject(value) ? value : {};
  return errorFromData({
    status: typeof status === "string" ? (status as StatusName) : statusOf(code),
    message: typeof message === "string" ? message : `The server answered with ${code}.`,
    details: { ...(isObject(details) && details), ...(retryAfterMs && { retryAfterMs }) },
  });
}

export function tooLong(): TurnkeepError {
  return new TurnkeepError("RESOURCE_EXHAUSTED", "The server's answer is too long.", {
    reason: "LIMIT_EXCEEDED",
  });
}

export function unsound(): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", "The server's answer is not sound.");
}

function checkKeys(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > ANSWER_LIMITS.depth || Object.keys(value).some(isReservedKey)) throw unsound();
  for (const member of Object.values(value)) checkKeys(member, depth + 1);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// For answers of whatever stands in front of the server.
const STATUSES: Readonly<Record<number, StatusName>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  501: "UNIMPLEMENTED",
};

function statusOf(code: number): StatusName {
  return STATUSES[code] ?? (code < 500 ? "INVALID_ARGUMENT" : "UNAVAILABLE");
}
