import { TurnkeepError } from "../../ledger/index.ts";

// What these say will not change by trying again.
const REFUSALS: readonly unknown[] = [
  "INVALID_ARGUMENT",
  "FAILED_PRECONDITION",
  "PERMISSION_DENIED",
];

/** @throws TurnkeepError UNAVAILABLE when the store fails, FAILED_PRECONDITION when it refuses what it was given. */
export async function callStore<Result>(
  method: string,
  call: () => Promise<Result> | Result,
): Promise<Result> {
  try {
    return await call();
  } catch (cause) {
    const status = (cause as { readonly status?: unknown } | undefined)?.status;
    if (REFUSALS.includes(status)) {
      throw unsuitable(`The session store refused '${method}': ${(cause as Error).message}`, cause);
    }
    throw new TurnkeepError(
      "UNAVAILABLE",
      `The session store failed in '${method}'; see the cause.`,
      { cause, retryable: true },
    );
  }
}

export function unsuitable(message: string, cause?: unknown): TurnkeepError {
  return new TurnkeepError("FAILED_PRECONDITION", message, { reason: "STORE_UNSUITABLE", cause });
}
