import type { SessionContent } from "../ledger/index.ts";

/** The run that the turns are of. */
export interface TurnHost {
  /**
   * The content as this build of the agent reads it.
   *
   * @throws TurnkeepError INVALID_ARGUMENT when it does not fit, FAILED_PRECONDITION when it cannot be migrated.
   */
  readonly check: (content: SessionContent, snapshotId?: string) => Promise<SessionContent>;
  /** Whether it could be otherwise than when it was last checked. */
  readonly needsCheck: (content: SessionContent) => boolean;
  /** Called when a turn was aborted or is another worker's: the run must stop. */
  readonly stopped: (reason: unknown) => void;
}
