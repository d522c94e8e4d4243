import { TurnkeepError } from "../ledger/index.ts";

/** @throws TurnkeepError INVALID_ARGUMENT unless every limit is a whole number of at least 1. */
export function checkLimits(limits: Readonly<Record<string, number>>): void {
  for (const [field, limit] of Object.entries(limits)) {
    if (Number.isSafeInteger(limit) && limit >= 1) continue;
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      `${field}: must be a whole number of at least 1, not ${limit}.`,
      {
        details: { field },
      },
    );
  }
}
