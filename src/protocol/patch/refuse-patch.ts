import { TurnkeepError } from "../turnkeep-error.ts";

/** @throws TurnkeepError always. `why` repeats nothing of the patch: that may hold a user's data. */
export function refusePatch(why: string): never {
  throw new TurnkeepError("INVALID_ARGUMENT", `The patch was refused: ${why}.`, {
    reason: "PATCH_REFUSED",
  });
}
