import type { Action, ExecutablePrompt, Genkit } from "genkit";
import { toJsonSchema } from "genkit/schema";
import type { Json, LocalAgent } from "../agent/index.ts";
import { type JsonObject, TurnkeepError } from "../protocol/index.ts";
import { buildPromptAgent, separate } from "./build-prompt-agent.ts";
import { ourMessages } from "./genkit-types.ts";
import { checkPromptInput } from "./check-prompt-input.ts";
import type { PromptAgentOptions } from "./prompt-agent-options.ts";
import { reserveName } from "./register-agent.ts";

/**
 * Defines an agent by a prompt that Genkit knows: one defined in code or a `.prompt` file. One prompt may serve many agents, each with an input of its
 * own. Resolves when the prompt was found and the input fits.
 *
 * @throws TurnkeepError NOT_FOUND when there is no such prompt, INVALID_ARGUMENT when the input does not fit the prompt's schema.
 */
export async function definePromptAgent<Custom = Json, Input = Json, Output = Json>(
  ai: Genkit,
  options: PromptAgentOptions<Custom, Input, Output>,
): Promise<LocalAgent<Custom, Output>> {
  const { prompt, input: given, messages, ...rest } = options;
  const found = await findPrompt(ai, prompt ?? rest.name);
  const input = withDefaults(given as Json | undefined, found);
  const inputSchema = schemaOf(found);
  if (input !== undefined) checkPromptInput(input, inputSchema, "The input");
  const { generation, ...parts } = separate(ai, rest);
  reserveName(ai, rest.name);
  return buildPromptAgent<Custom, Output>(ai, {
    ...parts,
    prompt: found.__executablePrompt,
    overrides: generation,
    // Its messages may be a function of the history, which cannot be seen from here.
    readsHistory: true,
    messages: ourMessages(messages ?? []),
    ...(inputSchema && { inputSchema }),
    ...(input !== undefined && { input }),
  });
}

type PromptAction = Action & { readonly __executablePrompt: ExecutablePrompt<Json | undefined> };

async function findPrompt<Input>(
  ai: Genkit,
  prompt: string | ExecutablePrompt<Input>,
): Promise<PromptAction> {
  const name = typeof prompt === "string" ? prompt : prompt.ref.name;
  const action = (await ai.registry.lookupAction(`/prompt/${name}`)) as PromptAction | undefined;
  if (action) return action;
  throw new TurnkeepError(
    "NOT_FOUND",
    `Genkit knows no prompt named '${name}'. Define it before the agent, or put '${name}.prompt' into the folder of prompts.`,
  );
}

// Genkit reads the default input of a prompt's file and leaves it unused.
function withDefaults(
  input: Json | undefined,
  { __action: { metadata } }: Action,
): Json | undefined {
  const { prompt } = (metadata ?? {}) as FileMetadata;
  const defaults = prompt?.raw?.input?.default;
  if (defaults === undefined || input === undefined) return input ?? defaults;
  return { ...defaults, ...(input as JsonObject) };
}

interface FileMetadata {
  readonly prompt?: { readonly raw?: { readonly input?: { readonly default?: JsonObject } } };
}

function schemaOf({ __action: { inputSchema, inputJsonSchema } }: Action): JsonObject | undefined {
  if (inputJsonSchema) return inputJsonSchema as JsonObject;
  return inputSchema && (toJsonSchema({ schema: inputSchema }) as JsonObject);
}
