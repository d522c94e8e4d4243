import type { AgentOutputData, AgentStreamChunk } from "../protocol/index.ts";
import type { RunUpdate } from "./agent-types.ts";
import { type Fields, fieldsOf, listOf, unsound } from "./answer.ts";

// Of all that is passed on, only what a reader goes through is checked: that lists are lists, and what is in them objects.

/** An event of a run. @throws TurnkeepError INVALID_ARGUMENT when it is of no use. */
export function updateFrom({ seq, type, chunk }: Fields, id: unknown, runId: string): RunUpdate {
  const isKept = seq !== 0;
  if (isKept && (!((seq as number) > 0) || id !== `${runId}.${seq as number}`)) throw unsound();
  return {
    ...(isKept && { id }),
    seq,
    type,
    ...(chunk !== undefined && { chunk: chunkFrom(chunk) }),
  } as RunUpdate;
}

export function chunkFrom(value: unknown): AgentStreamChunk {
  const { modelChunk, artifact, customPatch, turnEnd } = fieldsOf(value);
  checkParts(modelChunk, "content");
  checkParts(artifact, "parts");
  listOf(customPatch ?? []);
  fieldsOf(turnEnd ?? {});
  return value as AgentStreamChunk;
}

export function outputFrom<Custom, Output>(value: unknown): AgentOutputData<Custom, Output> {
  const { message, state, artifacts } = fieldsOf(value);
  checkParts(message, "content");
  checkState(state);
  listOf(artifacts ?? []);
  return value as AgentOutputData<Custom, Output>;
}

export function checkState(state: unknown): void {
  const { messages, artifacts } = fieldsOf(state ?? {});
  for (const message of listOf(messages ?? [])) checkParts(message ?? [], "content");
  for (const artifact of listOf(artifacts ?? [])) checkParts(artifact ?? [], "parts");
}

function checkParts(owner: unknown, name: string): void {
  if (owner) listOf(fieldsOf(owner)[name]).forEach(fieldsOf);
}
