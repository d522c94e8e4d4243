import { TurnkeepError } from "../ledger/index.ts";

/** @throws TurnkeepError INVALID_ARGUMENT unless every limit is a whole number of at least 1, or of another least value. */
export function checkLimits(limits: Readonly<Record<string, number>>, least = 1): void {
  for (const [field, limit] of Object.entries(limits)) {
    if (Number.isSafeInteger(limit) && limit >= least) continue;
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      `${field}: must be a whole number of at least ${least}, not ${limit}.`,
      {
        details: { field },
      },
    );
  }
}
