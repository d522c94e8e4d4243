/** Every status an answer can carry, with its number on the wire and its HTTP code: the only such table. */
export const STATUS = {
  OK: { code: 0, http: 200 },
  CANCELLED: { code: 1, http: 499 },
  UNKNOWN: { code: 2, http: 500 },
  INVALID_ARGUMENT: { code: 3, http: 400 },
  DEADLINE_EXCEEDED: { code: 4, http: 504 },
  NOT_FOUND: { code: 5, http: 404 },
  ALREADY_EXISTS: { code: 6, http: 409 },
  PERMISSION_DENIED: { code: 7, http: 403 },
  RESOURCE_EXHAUSTED: { code: 8, http: 429 },
  FAILED_PRECONDITION: { code: 9, http: 400 },
  ABORTED: { code: 10, http: 409 },
  OUT_OF_RANGE: { code: 11, http: 400 },
  UNIMPLEMENTED: { code: 12, http: 501 },
  INTERNAL: { code: 13, http: 500 },
  UNAVAILABLE: { code: 14, http: 503 },
  DATA_LOSS: { code: 15, http: 500 },
  UNAUTHENTICATED: { code: 16, http: 401 },
} as const;

/** The name of a status: what callers branch on. */
export type StatusName = keyof typeof STATUS;

/** Whether `value` names a status; own keys only, so `"constructor"` does not. */
export function isStatusName(value: unknown): value is StatusName {
  return typeof value === "string" && Object.hasOwn(STATUS, value);
}

/** The HTTP code an answer with this status is sent under. */
export function httpCodeOf(status: StatusName): number {
  return STATUS[status].http;
}
