import type { CallOptions, LocalAgent } from "../../agent/index.ts";
import {
  type AgentInput,
  type AgentOutput,
  type Json,
  parseArtifact,
} from "../../protocol/index.ts";
import { defineTalker } from "../define-talker.ts";
import type { DemoParts } from "../demo-parts.ts";
import type { DemoTool } from "../demo-tool.ts";
import { stateOf } from "../json-shape.ts";
import { scriptOf, textOf, told } from "../script.ts";

export interface Office {
  readonly asked: readonly string[];
}

/** An agent that takes orders, whatever its state is. */
interface Colleague {
  readonly name: string;
  readonly description?: string;
  run(
    input: AgentInput,
    options: CallOptions<never>,
  ): Promise<Pick<AgentOutput, "message" | "artifacts">>;
}

const state = stateOf<Office>({
  type: "object",
  required: ["asked"],
  properties: { asked: { type: "array", items: { type: "string" } } },
});

/** Shows: agents that ask agents, at once, each in a session of its own; what they make and their being stopped travel through. */
export function defineManager(
  { store, model }: DemoParts,
  staff: readonly Colleague[],
): LocalAgent<Office> {
  return defineTalker<Office>({
    name: "manager",
    description: "Has the concierge and the scribe do the work: several agents under one.",
    store,
    model,
    state,
    initialState: { asked: [] },
    tools: staff.map(toolFor),
    system: ({ asked }) =>
      `You run the house and leave the work to your staff, by the tools. So far they were asked ${asked.length} times.`,
    script: scriptOf(
      [
        {
          when: /\b(?:trip|day|evening|weekend|holiday|visit)\b.*?\b(?:in|to|at) (\p{L}[\p{L} '-]*?)[.!?]*$/iu,
          say: ([, town = ""]) => [
            { tool: "ask_concierge", input: { task: `weather in ${town}` } },
            { tool: "ask_scribe", input: { task: `a postcard about ${town}` } },
          ],
        },
        {
          when: /\bask (?:the )?(concierge|scribe)(?: (?:to|for|about))? (.+)$/i,
          say: ([, name = "", task = ""]) => [
            { tool: `ask_${name.toLowerCase()}`, input: { task } },
          ],
        },
      ],
      {
        after: (results) =>
          results
            .map(({ output }) => `The ${told(output, "agent")} says: ${told(output, "said")}`)
            .join("\n"),
        hint: 'Try "plan a day in Lisbon", or "ask the scribe a poem about rain".',
      },
    ),
  });
}

function toolFor(agent: Colleague): DemoTool<Office> {
  return {
    name: `ask_${agent.name}`,
    description: `Hands a task to the ${agent.name}. ${agent.description ?? ""}`,
    input: { type: "object", required: ["task"], properties: { task: { type: "string" } } },
    run: async ({ task }, { session, respond, turn, tenant, context }) => {
      const text = String(task);
      respond.status({ asking: agent.name, task: text });
      const sessionId = `${session.sessionId}:${agent.name}`;
      // The key stays the same if another process takes this turn over, so that nobody is asked twice.
      const said = await turn.step(
        { name: agent.name, input: text, idempotent: true },
        async ({ idempotencyKey, signal }): Promise<{ said: string; artifacts: Json[] }> => {
          const message = { role: "user", content: [{ text }] } as const;
          const call = { sessionId, tenant, context, signal, requestId: idempotencyKey };
          const { message: answer, artifacts = [] } = await agent.run({ message }, call);
          return { said: textOf(answer), artifacts: [...artifacts] as Json[] };
        },
      );
      for (const artifact of said.artifacts) respond.artifact(parseArtifact(artifact));
      session.updateCustom((office) => ({ asked: [...office.asked, `${agent.name}: ${text}`] }));
      return { agent: agent.name, said: said.said };
    },
  };
}
