import type { IdSource } from "../ledger/index.ts";

const LENGTH = 26;

/** Ids that count up from 1, as long as real ones and in the same order as they were made. */
export function sequentialIds(): IdSource {
  let count = 0;
  return {
    next: () => {
      count += 1;
      return count.toString(36).padStart(LENGTH, "0");
    },
  };
}
