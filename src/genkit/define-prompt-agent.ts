import type { Action, ExecutablePrompt, Genkit } from "genkit";
import { toJsonSchema } from "genkit/schema";
import type { Json, LocalAgent } from "../agent/index.ts";
import { type JsonObject, TurnkeepError } from "../protocol/index.ts";
import { buildPromptAgent, firstMessages, separate } from "./build-prompt-agent.ts";

import { PromptFilling } from "./prompt-filling.ts";
import type { PromptAgentOptions } from "./prompt-agent-options.ts";
import { checkDefinition } from "./register-agent.ts";

/**
 * Defines an agent by a prompt that Genkit knows: one defined in code or a `.prompt` file. One prompt may serve many agents, each with an input of its
 * own. Resolves when the prompt was found and the input fits.
 *
 * @throws TurnkeepError NOT_FOUND when there is no such prompt, INVALID_ARGUMENT when the input does not fit the prompt's schema.
 */
export async function definePromptAgent<
  Custom = Json,
  Input = Json,
  Output = Json,
  StateInput = unknown,
>(
  ai: Genkit,
  options: PromptAgentOptions<Custom, Input, Output, StateInput>,
): Promise<LocalAgent<Custom, Output>> {
  checkDefinition(ai, options);
  const { prompt, input: given, messages, ...rest } = options;
  const found = await findPrompt(ai, prompt ?? rest.name);
  const filling = fillingOf(found, given as Json | undefined);
  if (filling.own !== undefined) filling.check(filling.own, "The input");
  const { generation, ...parts } = separate(ai, rest);
  // Once more: another may have taken the name meanwhile.
  checkDefinition(ai, options);
  return buildPromptAgent<Custom, Output>(ai, {
    ...parts,
    prompt: found.__executablePrompt,
    overrides: generation,
    // Its messages may be a function of the history, which cannot be seen from here.
    readsHistory: true,
    isConstant: false,
    messages: firstMessages(messages),
    filling,
  });
}

type PromptAction = Action & { readonly __executablePrompt: ExecutablePrompt<Json | undefined> };

async function findPrompt<Input>(
  ai: Genkit,
  prompt: string | ExecutablePrompt<Input>,
): Promise<PromptAction> {
  const name = nameOf(prompt);
  const action = (await ai.registry.lookupAction(`/prompt/${name}`)) as PromptAction | undefined;
  if (action) return action;
  throw new TurnkeepError(
    "NOT_FOUND",
    `Genkit knows no prompt named '${name}'. Define it before the agent, or put '${name}.prompt' into the folder of prompts.`,
  );
}

// Genkit reads the default input of a prompt's file and leaves it unused.
function fillingOf(prompt: PromptAction, own: Json | undefined): PromptFilling {
  const { prompt: file } = (prompt.__action.metadata ?? {}) as FileMetadata;
  const defaults = file?.raw?.input?.default;
  const schema = schemaOf(prompt);
  return new PromptFilling({
    ...(schema && { schema }),
    ...(defaults && { defaults }),
    ...(own !== undefined && { own }),
  });
}

interface FileMetadata {
  readonly prompt?: { readonly raw?: { readonly input?: { readonly default?: JsonObject } } };
}

function nameOf<Input>(prompt: string | ExecutablePrompt<Input>): string {
  const name: unknown =
    typeof prompt === "string" ? prompt : (prompt as Partial<typeof prompt>).ref?.name;
  if (typeof name === "string" && name !== "") return name;
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    "'prompt' must be what 'definePrompt' returns, or a prompt's name.",
  );
}

function schemaOf({ __action: { inputSchema, inputJsonSchema } }: Action): JsonObject | undefined {
  if (inputJsonSchema) return inputJsonSchema as JsonObject;
  return inputSchema && (toJsonSchema({ schema: inputSchema }) as JsonObject);
}
