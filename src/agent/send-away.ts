import type { AgentInput } from "../protocol/index.ts";
import { acceptError } from "./accept-error.ts";
import { type StoredRunOptions, submissionOf } from "./stored-run-options.ts";

/**
 * Takes the first input of a run in for a worker to begin, and tells workers so. Answers which snapshot it will end in.
 *
 * @throws TurnkeepError why it was not taken in.
 */
export async function sendAway(options: StoredRunOptions, input: AgentInput): Promise<string> {
  const { ledger, key, dispatcher } = options;
  const parentId = options.first?.parentId;
  const own = submissionOf(options, input, { number: 0, isBehindOwn: false, parentId });
  const answer = await ledger.accept(key, { ...own, begin: false, reservedMs: undefined });
  if (answer.kind !== "accepted") throw acceptError(answer, key.sessionId);
  const { snapshotId } = answer.turn;
  // Not waited for: the turn is durable, and workers find what they are not told of.
  dispatcher?.dispatch({ key, id: snapshotId }).catch(() => {});
  return snapshotId;
}
