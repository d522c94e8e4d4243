import { type Genkit, z } from "genkit";
import type { AgentLimits, PartialOptions } from "../agent/index.ts";
import { type AgentReference, findAgent, findCompanion } from "./ask-agent.ts";
import type { GenkitAction } from "./genkit-action.ts";
import type { SubAgentOptions } from "./sub-agent.ts";

/** An agent that another asks, with everything settled that its options leave open. */
export interface AskedAgent extends Required<
  Pick<SubAgentOptions, "description" | "tool" | "artifacts" | "stream" | "background">
> {
  readonly name: string;
  /** How many chunks of asked agents one turn passes on: the asker needs the others for itself. */
  readonly maxChunks: number;
  /** @throws TurnkeepError NOT_FOUND when Genkit knows no agent of that name. */
  readonly find: () => Promise<GenkitAction>;
  readonly companion: (kind: CompanionKind) => Promise<GenkitAction | undefined>;
}

/** What is asked about an agent's snapshots. */
export type CompanionKind = "getSnapshot" | "waitForSnapshot";

/** What agents are asked with. */
export const TASK_INPUT: z.ZodType<{ task: string }> = z.object({
  task: z.string().describe("What the agent is to do, with all it needs to know."),
});

const DEFAULT_CHUNKS = 20_000;

export function askedAgent(
  ai: Genkit,
  options: SubAgentOptions & { readonly limits: PartialOptions<AgentLimits> },
): AskedAgent {
  const { agent, artifacts = "shared", stream = true, background = false, limits } = options;
  const { name, description } = referenceOf(agent);
  return {
    name,
    tool: options.tool ?? name,
    description: options.description ?? description ?? `Asks the agent '${name}'.`,
    artifacts,
    stream,
    background,
    maxChunks: Math.floor((limits.chunksPerTurn ?? DEFAULT_CHUNKS) / 2),
    find: () => findAgent(ai, agent),
    companion: (kind) => findCompanion(ai, agent, kind),
  };
}

function referenceOf(agent: AgentReference): {
  readonly name: string;
  readonly description?: string;
} {
  return typeof agent === "string" ? { name: agent } : agent;
}
