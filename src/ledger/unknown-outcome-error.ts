import { TurnkeepError } from "../protocol/index.ts";

/** The store cannot tell whether a commit was written. The ledger reads again and finds out. */
export class UnknownOutcomeError extends TurnkeepError {
  override readonly name = "UnknownOutcomeError";

  constructor(cause: unknown) {
    super("UNAVAILABLE", "The store lost contact during a commit; it may or may not be written.", {
      cause,
      reason: "UNKNOWN_OUTCOME",
      retryable: true,
    });
  }

  static override is(value: unknown): value is UnknownOutcomeError {
    return TurnkeepError.is(value) && value.reason === "UNKNOWN_OUTCOME";
  }
}
