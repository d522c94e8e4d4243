import type { ExecutablePrompt, Genkit, PromptConfig } from "genkit";
import type { Json, LocalAgent } from "../agent/index.ts";
import type { JsonObject } from "../protocol/index.ts";
import { buildPromptAgent, firstMessages, separate } from "./build-prompt-agent.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import type { InlineAgentOptions, PromptInput } from "./prompt-agent-options.ts";
import { PromptFilling } from "./prompt-filling.ts";
import { checkDefinition } from "./register-agent.ts";

/**
 * Defines an agent by an inline prompt: model, system text, tools. The prompt is registered with Genkit under the agent's name, and so is the agent.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when the options do not fit together, or the default input does not fit its schema.
 */
export function defineAgent<Custom = Json, Input = Json, Output = Json, StateInput = unknown>(
  ai: Genkit,
  options: InlineAgentOptions<Custom, Input, Output, StateInput>,
): LocalAgent<Custom, Output> {
  checkDefinition(ai, options);
  const { input, system, prompt, messages, docs, metadata, ...rest } = options;
  const inputSchema = schemaOf(input, rest.name);
  const start = firstMessages(Array.isArray(messages) ? messages : []);
  const defaultInput = input?.default as Json | undefined;
  const filling = new PromptFilling({
    ...(inputSchema && { schema: inputSchema }),
    ...(defaultInput !== undefined && { own: defaultInput }),
  });
  if (defaultInput !== undefined) filling.check(defaultInput, "The default input");
  const { generation, ...parts } = separate(ai, rest);
  const defined = ai.definePrompt({
    ...generation,
    name: rest.name,
    ...(rest.description !== undefined && { description: rest.description }),
    ...(inputSchema && { input: { jsonSchema: inputSchema } }),
    system,
    prompt,
    docs,
    metadata,
    ...(!Array.isArray(messages) && { messages }),
  } as PromptConfig);
  return buildPromptAgent<Custom, Output>(ai, {
    ...parts,
    prompt: defined as ExecutablePrompt<Json | undefined>,
    readsHistory: typeof messages === "function",
    isConstant: [system, prompt, docs, Array.isArray(messages) ? [] : messages].every(isConstant),
    messages: start,
    ...(generation.output && { overrides: { output: generation.output } }),
    filling,
  });
}

// Neither a function nor a template with something in braces.
function isConstant(part: unknown): boolean {
  return typeof part === "string" ? !/\{\{|<<</.test(part) : typeof part !== "function";
}

function schemaOf<Input>(
  input: PromptInput<Input> | undefined,
  name: string,
): JsonObject | undefined {
  if (input?.jsonSchema) return input.jsonSchema;
  return input?.schema && jsonSchemaOf(input.schema, `The input schema of agent '${name}'`);
}
