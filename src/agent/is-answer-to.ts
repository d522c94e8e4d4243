import type { SessionContent } from "../ledger/index.ts";
import { matchResume, type Resume } from "../protocol/index.ts";

/** Whether the answers fit what the content waits for. Others settle nothing: they are for the agent to refuse. */
export function isAnswerTo({ messages }: SessionContent, resume: Resume): boolean {
  try {
    matchResume(messages.all(), resume);
    return true;
  } catch {
    return false;
  }
}
