import type { ExecutablePrompt, Genkit, MessageData, ToolArgument } from "genkit";
import {
  type AgentFunction,
  type AgentOptions,
  type AgentResult,
  defineCustomAgent,
  type Json,
  type LinkedAgent,
  type Message,
} from "../agent/index.ts";
import { ANSWER_LIMITS, parseMessage } from "../protocol/index.ts";
import { checkInput } from "./check-input.ts";
import type { GenkitAgent } from "./genkit-agent.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import { allowPlainVariables } from "./plain-variables.ts";
import type { GenerationOptions } from "./prompt-agent-options.ts";
import type { PromptFilling } from "./prompt-filling.ts";
import { type PromptOverrides, PromptSource } from "./prompt-source.ts";
import { PromptTurn } from "./prompt-turn.ts";
import { addAgent, agentsOf, type RegisteredParts } from "./register-agent.ts";
import { readOutput } from "./structured-output.ts";
import { agentTools, type SubAgent } from "./sub-agent.ts";
import type { SystemOverride } from "./system-override.ts";
import { ToolBook } from "./tool-book.ts";

export interface PromptAgentParts<Custom> {
  readonly own: AgentOptions<Custom>;
  readonly prompt: ExecutablePrompt<Json | undefined>;
  readonly overrides?: PromptOverrides;
  readonly system?: SystemOverride;
  readonly readsHistory: boolean;
  readonly isConstant: boolean;
  readonly messages: readonly Message[];
  readonly tools: ToolBook;
  readonly agentTools: readonly ToolArgument[];
  readonly filling: PromptFilling;
}

/** An agent put together out of a prompt and what the agent says itself, not yet known to anybody. */
export interface BuiltPromptAgent<Custom> {
  /** Renders the prompt once, if there is something to fill it with. Rejects with INVALID_ARGUMENT when it cannot be rendered. */
  readonly check: () => Promise<void>;
  readonly define: (parts?: Pick<RegisteredParts, "keys">) => GenkitAgent<Custom>;
}

export function buildPromptAgent<Custom>(
  ai: Genkit,
  parts: PromptAgentParts<Custom>,
): BuiltPromptAgent<Custom> {
  const { own, tools, filling, messages, ...prompt } = parts;
  allowPlainVariables(ai);
  const source = new PromptSource({ ...prompt, name: `The prompt of agent '${own.name}'` });
  const turnOptions = { ai, prompt: source, tools, filling, messages };
  const options: AgentOptions<Custom> = {
    ...own,
    checkInput: (sent) => checkInput(sent, filling),
    readOutput: (message) => readOutput(ai, source.output, message),
  };
  const work: AgentFunction<Custom> = async (agent) => {
    await agent.session.run((sent, turn) =>
      new PromptTurn(turnOptions, agent as never, turn).run(sent),
    );
    return answerOf(agent.session.result());
  };
  const check = async (): Promise<void> => {
    const input = filling.unfilled;
    if (input !== undefined) await source.check(input);
  };
  return {
    check,
    define: (more) => addAgent(ai, defineCustomAgent(options, work), { ready: check, ...more }),
  };
}

// The model may refuse to answer; what the user said is no answer.
function answerOf({ message, ...result }: AgentResult): AgentResult {
  return message && message.role !== "user" ? { ...result, message } : result;
}

/**
 * What a session starts with: a copy, so that later changes to the list change no agent.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when one of them is no message.
 */
export function firstMessages(messages: readonly MessageData[] = []): readonly Message[] {
  return structuredClone(
    messages.map((message) => parseMessage(message, { limits: ANSWER_LIMITS })),
  );
}

/** The options apart: what Genkit's generate is told, and what is the agent's own. */
export interface SeparateOptions<Custom> {
  readonly generation: PromptOverrides;
  readonly own: AgentOptions<Custom>;
  readonly tools: ToolBook;
  readonly agentTools: readonly ToolArgument[];
}

/** @throws TurnkeepError INVALID_ARGUMENT for schemas that Genkit would not understand. */
export function separate<Custom, Output>(
  ai: Genkit,
  options: AgentOptions<Custom> & GenerationOptions<Output>,
): SeparateOptions<Custom> {
  const { model, config, tools, toolChoice, output, docs, use, maxTurns, agents, ...own } = options;
  const { schema, ...format } = output ?? {};
  const jsonSchema =
    format.jsonSchema ??
    (schema && jsonSchemaOf(schema, `The output schema of agent '${own.name}'`));
  const given = {
    model,
    config,
    tools,
    toolChoice,
    output: output && { ...format, ...(jsonSchema && { jsonSchema }) },
    docs,
    use,
    maxTurns,
  };
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  const book = new ToolBook(ai);
  book.learn(tools);
  const others = agentTools(ai, agents ?? [], own.limits);
  return {
    generation: Object.fromEntries(said),
    own: {
      describeTools: () => book.describe([...(tools ?? []), ...others]),
      linkedAgents: () => linkedAgents(ai, agents ?? []),
      ...own,
    },
    tools: book,
    agentTools: others,
  };
}

/** Those of the asked agents that are ours, as far as Genkit knows them by now: they delete their sessions along with the asker's. */
function linkedAgents(ai: Genkit, agents: readonly SubAgent[]): readonly LinkedAgent[] {
  return agents.flatMap((given) => {
    const agent = typeof given === "object" && "agent" in given ? given.agent : given;
    return (typeof agent === "string" ? agentsOf(ai).get(agent) : agent) ?? [];
  });
}
