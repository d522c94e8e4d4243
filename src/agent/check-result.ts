import type { SessionContent } from "../ledger/index.ts";
import {
  type AgentFinishReason,
  type AgentResult,
  FINISH_REASONS,
  type JsonObject,
  TurnkeepError,
  unknownName,
} from "../protocol/index.ts";
import type { TurnResult } from "./agent-function.ts";
import { storedCopy } from "./plain-copy.ts";
import { artifactFrom, messageFrom } from "./session.ts";

/** @throws TurnkeepError INVALID_ARGUMENT for a reason that the protocol does not know. */
function checkFinishReason(reason: AgentFinishReason | undefined): void {
  if (reason === undefined || FINISH_REASONS.includes(reason)) return;
  const names = FINISH_REASONS;
  throw unknownName(typeof reason === "string" ? reason : "", { kind: "finish reason", names });
}

/**
 * What a handler returned, as frozen data.
 *
 * @throws TurnkeepError INVALID_ARGUMENT for a reason that the protocol does not know, and for usage that is no JSON object.
 */
export function checkedTurn({ finishReason, usage }: TurnResult): TurnResult {
  checkFinishReason(finishReason);
  return { finishReason, usage: usage === undefined ? undefined : usageFrom(usage) };
}

function usageFrom(usage: JsonObject): JsonObject {
  const copy = storedCopy(usage, "usage");
  if (typeof copy === "object" && copy !== null && !Array.isArray(copy)) return copy;
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    "The usage of a turn must be an object, for example { outputTokens: 12 }.",
  );
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
