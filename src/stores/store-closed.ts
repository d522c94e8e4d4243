import { TurnkeepError } from "../ledger/index.ts";

/** What every call on a store rejects with after `close()`. */
export function storeClosed(): TurnkeepError {
  return new TurnkeepError("FAILED_PRECONDITION", "The store is closed; open a new one.", {
    reason: "STORE_CLOSED",
  });
}
