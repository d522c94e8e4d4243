import { type Genkit, tool, type ToolAction } from "genkit";
import type { AgentLimits, AgentStreamChunk, PartialOptions, TurnContext } from "../agent/index.ts";
import { type AgentReference, askAgent, remembersRequests } from "./ask-agent.ts";
import { type AskedAgent, askedAgent, TASK_INPUT } from "./asked-agent.ts";
import { startTaskTool, taskTools } from "./background-task.ts";
import { answerOf } from "./sub-agent-answer.ts";
import { type ToolCall, toolCall } from "./tool-call.ts";

/** An agent that another can ask. */
export type SubAgent = AgentReference | SubAgentOptions;

/** How an agent is asked by another. */
export interface SubAgentOptions {
  /** The agent, or the name of one that Genkit knows. */
  readonly agent: AgentReference;
  /** What the model is told it is good for; the agent's own description by default. */
  readonly description?: string;
  /** The tool's name; the agent's by default. */
  readonly tool?: string;
  /** Where its artifacts go: into the session of the one who asks, or nowhere but its own. `shared` by default. */
  readonly artifacts?: "shared" | "separate";
  /** Whether what it streams, its words and statuses, reaches the stream of the one who asks, as `subAgent` chunks. `true` by default. */
  readonly stream?: boolean;
  /**
   * Whether it works in the background: the tool starts a task and answers at once, and the tools `checkTask` and `waitForTask` look after it. Each
   * task has a session of its own. The agent needs a store.
   *
   * @example
   * defineAgent(ai, { name: "lead", agents: [{ agent: researcher, background: true }], store });
   */
  readonly background?: boolean;
}

/** The agents as tools. Each works in a session of its own, named after the session of the one who asks, and remembers earlier requests there. */
export function agentTools(
  ai: Genkit,
  agents: readonly SubAgent[],
  limits: PartialOptions<AgentLimits> = {},
): readonly ToolAction[] {
  const asked = agents.map((given) =>
    askedAgent(ai, {
      limits,
      ...(typeof given === "object" && "agent" in given ? given : { agent: given }),
    }),
  );
  const tools = asked.map((agent) => (agent.background ? startTaskTool(agent) : askTool(agent)));
  return [...tools, ...taskTools(asked.filter(({ background }) => background))];
}

function askTool(asked: AskedAgent): ToolAction {
  const { tool: name, description } = asked;
  return tool(
    {
      name,
      description,
      inputSchema: TASK_INPUT,
      metadata: { idempotent: async () => remembersRequests(await asked.find()) },
    },
    async ({ task }, options) => {
      const call = toolCall(options);
      const action = await asked.find();
      const { resumed } = options;
      const onChunk = asked.stream && call ? forwardTo(call, asked) : undefined;
      const output = await askAgent(action, { task, call, resumed, ...(onChunk && { onChunk }) });
      return answerOf(output, { ...asked, call });
    },
  );
}

const forwarded = new WeakMap<TurnContext, number>();

// What a client of the asker is shown of the asked agent's stream. The rest is the asked agent's own.
function forwardTo(
  { respond, turn }: ToolCall,
  { name, maxChunks }: AskedAgent,
): (chunk: AgentStreamChunk) => void {
  return ({ modelChunk, status, subAgent }) => {
    const chunk: AgentStreamChunk = {
      ...(modelChunk && { modelChunk }),
      ...(status !== undefined && { status }),
      ...(subAgent && { subAgent }),
    };
    const count = forwarded.get(turn) ?? 0;
    if (count >= maxChunks || Object.keys(chunk).length === 0) return;
    forwarded.set(turn, count + 1);
    respond.chunk({ subAgent: { name, chunk } });
  };
}
