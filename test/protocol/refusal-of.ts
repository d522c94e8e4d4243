import { TurnkeepError } from "turnkeep/protocol";

/** The TurnkeepError that the work throws; fails when it throws none. */
export function refusalOf(work: () => unknown): TurnkeepError {
  try {
    work();
  } catch (error) {
    if (TurnkeepError.is(error)) return error;
    throw error;
  }
  throw new Error("Nothing was refused.");
}
