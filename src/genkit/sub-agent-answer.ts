import { ToolInterruptError } from "genkit";
import type { Part } from "../agent/index.ts";
import { type AgentOutputData, TurnkeepError } from "../protocol/index.ts";
import type { AskedAgent } from "./asked-agent.ts";
import { withoutMemory } from "./sub-agent-memory.ts";
import type { ToolCall } from "./tool-call.ts";

/** Whose answer it is, and where its artifacts go. */
export interface Answering extends Pick<AskedAgent, "name" | "artifacts"> {
  readonly call: ToolCall | undefined;
}

/**
 * What the asker's model is told.
 *
 * @throws ToolInterruptError when the agent waits for a person, TurnkeepError when it failed.
 */
export function answerOf(
  output: AgentOutputData,
  { name, artifacts: where, call }: Answering,
): object {
  const { message, artifacts = [], finishReason } = output;
  if (finishReason === "interrupted") throw interruptOf(output, name);
  if (finishReason === "failed" || finishReason === "aborted") throw failureOf(output, name);
  if (where === "shared") call?.session.addArtifacts(...artifacts);
  const names = artifacts.flatMap((artifact) => artifact.name ?? []);
  const isPlain = finishReason === undefined || finishReason === "stop";
  return {
    answer: textOf(message?.content ?? []),
    ...(names.length > 0 && { artifacts: names }),
    // The model may want to know that the answer was cut or blocked.
    ...(!isPlain && { finishReason }),
  };
}

// The one who asked waits as well. Restarted with the answers, it passes them on.
function interruptOf({ message, snapshotId }: AgentOutputData, agent: string): ToolInterruptError {
  const requests = (message?.content ?? [])
    .filter((part) => part.metadata?.["interrupt"])
    .map((part) => withoutMemory(part));
  return new ToolInterruptError({
    agent,
    ...(snapshotId !== undefined && { snapshotId }),
    requests,
  });
}

function failureOf({ error, finishReason }: AgentOutputData, agent: string): TurnkeepError {
  return new TurnkeepError(
    error?.status ?? "ABORTED",
    `The agent '${agent}' did not answer: ${error?.message ?? finishReason}`,
  );
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ text }) => text ?? "").join("");
}
