import { type ClientError, errorCodeOf } from "./client-error.ts";

const SAFE = { "content-type": "application/json", "x-content-type-options": "nosniff" };

/** The value as JSON that no browser takes for anything else. */
export function jsonResponse(
  value: unknown,
  {
    status = 200,
    headers = {},
  }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): Response {
  return new Response(JSON.stringify(value), { status, headers: { ...SAFE, ...headers } });
}

/** The error as Genkit's clients read it, with the id that the server's log knows it by. */
export function errorResponse(
  error: ClientError,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { status, message, details } = error;
  const body = { status, message, ...(details && { details }), requestId };
  return jsonResponse(body, { status: preciseCode(error), headers });
}

const CODES: ReadonlyMap<unknown, number> = new Map([
  ["IDEMPOTENCY_MISMATCH", 422],
  ["BODY_TOO_LARGE", 413],
  ["BODY_TOO_SLOW", 408],
  ["URL_TOO_LONG", 414],
  ["UNSUPPORTED_MEDIA_TYPE", 415],
  ["METHOD_NOT_ALLOWED", 405],
  ["STORAGE_FULL", 507],
]);

/** The code of an error: more precise than its status where HTTP has a word for it. */
export function preciseCode(error: ClientError): number {
  return CODES.get(error.details?.["reason"]) ?? errorCodeOf(error);
}
