import type { ExecutablePrompt, Genkit, MessageData, ToolArgument } from "genkit";
import type { AgentOptions, AgentResult, Json, LocalAgent, Message } from "../agent/index.ts";
import { ANSWER_LIMITS, parseMessage } from "../protocol/index.ts";
import { checkInput } from "./check-input.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import { allowPlainVariables } from "./plain-variables.ts";
import type { GenerationOptions } from "./prompt-agent-options.ts";
import type { PromptFilling } from "./prompt-filling.ts";
import { type PromptOverrides, PromptSource } from "./prompt-source.ts";
import { PromptTurn } from "./prompt-turn.ts";
import { registerAgent } from "./register-agent.ts";
import { readOutput } from "./structured-output.ts";
import { agentTools } from "./sub-agent.ts";
import { ToolBook } from "./tool-book.ts";

export interface PromptAgentParts<Custom> {
  readonly own: AgentOptions<Custom>;
  readonly prompt: ExecutablePrompt<Json | undefined>;
  readonly overrides?: PromptOverrides;
  readonly readsHistory: boolean;
  readonly isConstant: boolean;
  readonly messages: readonly Message[];
  readonly tools: ToolBook;
  readonly agentTools: readonly ToolArgument[];
  readonly filling: PromptFilling;
}

/** Puts an agent together out of a prompt and what the agent says itself. */
export function buildPromptAgent<Custom, Output>(
  ai: Genkit,
  parts: PromptAgentParts<Custom>,
): LocalAgent<Custom, Output> {
  const { own, prompt, overrides, readsHistory, isConstant, messages, filling } = parts;
  const { tools, agentTools: agents } = parts;
  allowPlainVariables(ai);
  const source = new PromptSource({
    prompt,
    readsHistory,
    isConstant,
    agentTools: agents,
    ...(overrides && { overrides }),
  });
  const turnOptions = { ai, prompt: source, tools, filling, messages };
  return registerAgent<Custom, Output>(
    ai,
    {
      ...own,
      checkInput: (sent) => checkInput(sent, filling),
      readOutput: (message) => readOutput(ai, source.output, message),
    },
    async (agent) => {
      await agent.session.run((sent, turn) =>
        new PromptTurn(turnOptions, agent as never, turn).run(sent),
      );
      return answerOf(agent.session.result());
    },
  );
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
  const others = agentTools(ai, agents ?? []);
  return {
    generation: Object.fromEntries(said),
    own: { describeTools: () => book.describe([...(tools ?? []), ...others]), ...own },
    tools: book,
    agentTools: others,
  };
}
