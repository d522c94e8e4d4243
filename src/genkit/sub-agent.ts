import { type Genkit, tool, type ToolAction, ToolInterruptError, z } from "genkit";
import type { AgentOutput, Part } from "../agent/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { type AgentReference, askAgent, findAgent, remembersRequests } from "./ask-agent.ts";
import { type ToolCall, toolCall } from "./tool-call.ts";

/** An agent that another can ask. */
export type SubAgent =
  | AgentReference
  | {
      /** The agent, or the name of one that Genkit knows. */
      readonly agent: AgentReference;
      /** What the model is told it is good for; the agent's own description unless told otherwise. */
      readonly description?: string;
      /** The tool's name; the agent's unless told otherwise. */
      readonly tool?: string;
      /** Where its artifacts go: into the session of the one who asks, or nowhere but its own. `shared` unless told otherwise. */
      readonly artifacts?: "shared" | "separate";
    };

/** The agents as tools. Each works in a session of its own, named after the session of the one who asks, and remembers earlier requests there. */
export function agentTools(ai: Genkit, agents: readonly SubAgent[]): readonly ToolAction[] {
  return agents.map((agent) => agentTool(ai, agent));
}

function agentTool(ai: Genkit, given: SubAgent): ToolAction {
  const options = typeof given === "object" && "agent" in given ? given : { agent: given };
  const { agent, artifacts = "shared" } = options;
  const name = typeof agent === "string" ? agent : agent.name;
  const ownDescription = typeof agent === "string" ? undefined : agent.description;
  const description = options.description ?? ownDescription ?? `Asks the agent '${name}'.`;
  return tool(
    {
      name: options.tool ?? name,
      description,
      inputSchema: z.object({
        task: z.string().describe("What the agent is to do, with all it needs to know."),
      }),
      metadata: { idempotent: async () => remembersRequests(await findAgent(ai, agent)) },
    },
    async ({ task }, toolOptions) => {
      const call = toolCall(toolOptions);
      const action = await findAgent(ai, agent);
      const output = await askAgent(action, { task, call, resumed: toolOptions.resumed });
      return answerOf(output, { name, artifacts, call });
    },
  );
}

interface Answering {
  readonly name: string;
  readonly artifacts: "shared" | "separate";
  readonly call: ToolCall | undefined;
}

function answerOf(output: AgentOutput, { name, artifacts: where, call }: Answering): object {
  const { message, artifacts = [] } = output;
  if (output.finishReason === "interrupted") throw interruptOf(output, name);
  if (output.finishReason === "failed" || output.finishReason === "aborted") {
    throw failureOf(output, name);
  }
  if (where === "shared") call?.session.addArtifacts(...artifacts);
  const names = artifacts.flatMap((artifact) => artifact.name ?? []);
  return { answer: textOf(message?.content ?? []), ...(names.length > 0 && { artifacts: names }) };
}

// The one who asked waits as well. Restarted with the answers, it passes them on.
function interruptOf({ message, snapshotId }: AgentOutput, agent: string): ToolInterruptError {
  const requests = (message?.content ?? []).filter((part) => part.metadata?.["interrupt"]);
  return new ToolInterruptError({
    agent,
    ...(snapshotId !== undefined && { snapshotId }),
    requests,
  });
}

function failureOf({ error, finishReason }: AgentOutput, agent: string): TurnkeepError {
  return new TurnkeepError(
    error?.status ?? "ABORTED",
    `The agent '${agent}' did not answer: ${error?.message ?? finishReason}`,
  );
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ text }) => text ?? "").join("");
}
