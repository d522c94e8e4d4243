import type { BranchAnswer } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { missingSnapshot } from "./locate.ts";

/** Why a snapshot could not be added behind another. */
export function branchError(
  answer: Exclude<BranchAnswer, { readonly kind: "branched" }>,
  agent: string,
  snapshotId: string,
): TurnkeepError {
  if (answer.kind === "no-such-parent") return missingSnapshot(agent, snapshotId);
  if (answer.kind === "busy") {
    return new TurnkeepError(
      "ABORTED",
      "A turn runs or waits in this session. Try when it ended.",
      {
        reason: "SESSION_BUSY",
        retryable: true,
      },
    );
  }
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `Snapshot '${snapshotId}' is ${answer.status}, so nothing can go on from it.`,
    { reason: "NOT_CONTINUABLE" },
  );
}
