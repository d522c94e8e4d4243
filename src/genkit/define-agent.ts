import type { ExecutablePrompt, Genkit, PromptConfig } from "genkit";
import type { Json, NeedsInitialState } from "../agent/index.ts";
import type { JsonObject } from "../protocol/index.ts";
import { buildPromptAgent, firstMessages, separate } from "./build-prompt-agent.ts";
import { checkTemplate } from "./check-template.ts";
import { skippedWhileChecking } from "./checking.ts";
import type { GenkitAgent } from "./genkit-agent.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import {
  INLINE_OPTIONS,
  type InlineAgentOptions,
  type PromptInput,
} from "./prompt-agent-options.ts";
import { PromptFilling } from "./prompt-filling.ts";
import { checkDefinition, removeAgent } from "./register-agent.ts";

/**
 * Defines an agent by an inline prompt: model, system text, tools. The prompt is registered with Genkit under the agent's name, and so is the agent.
 *
 * A template that Handlebars cannot read is refused at once. Partials and helpers may be defined later: `await agent.ready()` shows whether the prompt
 * can be rendered.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when the options do not fit together, a template is broken, or the default input does not fit its schema.
 */
export function defineAgent<Custom = Json, Input = Json, Output = Json, StateInput = unknown>(
  ai: Genkit,
  options: InlineAgentOptions<Custom, Input, Output, StateInput> &
    NeedsInitialState<Custom, StateInput>,
): GenkitAgent<Custom, Output, Input> {
  checkDefinition(ai, options, INLINE_OPTIONS);
  const {
    input,
    system,
    prompt,
    messages,
    docs,
    metadata,
    replace: _,
    ...rest
  } = options as InlineAgentOptions<Custom, Input, Output>;
  checkTemplates(ai, rest.name, { system, prompt, messages });
  const inputSchema = schemaOf(input, rest.name);
  const start = firstMessages(Array.isArray(messages) ? messages : []);
  const defaultInput = input?.default as Json | undefined;
  const filling = new PromptFilling({
    ...(inputSchema && { schema: inputSchema }),
    ...(defaultInput !== undefined && { own: defaultInput }),
  });
  if (defaultInput !== undefined) filling.check(defaultInput, "The default input");
  const { generation, ...parts } = separate(ai, rest);
  removeAgent(ai, rest.name);
  const defined = ai.definePrompt({
    ...generation,
    name: rest.name,
    ...(rest.description !== undefined && { description: rest.description }),
    ...(inputSchema && { input: { jsonSchema: inputSchema } }),
    system: skippedWhileChecking(system),
    prompt: skippedWhileChecking(prompt),
    docs: skippedWhileChecking(docs),
    metadata,
    ...(!Array.isArray(messages) && { messages: skippedWhileChecking(messages) }),
  } as PromptConfig);
  const built = buildPromptAgent<Custom>(ai, {
    ...parts,
    prompt: defined as ExecutablePrompt<Json | undefined>,
    readsHistory: typeof messages === "function",
    isConstant: [system, prompt, docs, Array.isArray(messages) ? [] : messages].every(isConstant),
    messages: start,
    ...(generation.output && { overrides: { output: generation.output } }),
    filling,
  });
  const keys = [`/prompt/${rest.name}`, `/executable-prompt/${rest.name}`];
  return built.define({ keys }) as unknown as GenkitAgent<Custom, Output, Input>;
}

function checkTemplates(ai: Genkit, agent: string, parts: Readonly<Record<string, unknown>>): void {
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === "string") checkTemplate(ai, part, `'${name}' of agent '${agent}'`);
  }
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
