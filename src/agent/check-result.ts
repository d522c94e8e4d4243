import type { SessionContent } from "../ledger/index.ts";
import {
  type AgentFinishReason,
  type AgentResult,
  FINISH_REASONS,
  unknownName,
} from "../protocol/index.ts";
import { artifactFrom, messageFrom } from "./session.ts";

/** @throws TurnkeepError INVALID_ARGUMENT for a reason that the protocol does not know. */
export function checkFinishReason(reason: AgentFinishReason | undefined): void {
  if (reason === undefined || FINISH_REASONS.includes(reason)) return;
  const names = FINISH_REASONS;
  throw unknownName(typeof reason === "string" ? reason : "", { kind: "finish reason", names });
}

/**
 * What an agent's function returned, as frozen data. What the session holds itself was checked when it was put there.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when it is no result.
 */
export function checkedResult(
  { message, artifacts, finishReason }: AgentResult,
  content: SessionContent,
): AgentResult {
  checkFinishReason(finishReason);
  const isOwnMessage = message === undefined || message === content.messages.last();
  const isOwnList = artifacts === undefined || artifacts === content.artifacts;
  return {
    ...(message && { message: isOwnMessage ? message : messageFrom(message) }),
    ...(artifacts && { artifacts: isOwnList ? artifacts : artifacts.map(artifactFrom) }),
    ...(finishReason !== undefined && { finishReason }),
  };
}
