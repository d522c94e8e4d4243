import type { Action, ExecutablePrompt, Genkit } from "genkit";
import { toJsonSchema } from "genkit/schema";
import type { Json, NeedsInitialState } from "../agent/index.ts";
import { type JsonObject, TurnkeepError } from "../protocol/index.ts";
import { buildPromptAgent, firstMessages, separate } from "./build-prompt-agent.ts";
import { checkTemplate } from "./check-template.ts";
import type { GenkitAgent } from "./genkit-agent.ts";
import {
  type AnswerOf,
  type AnyPrompt,
  type JsonUnless,
  PROMPT_OPTIONS,
  type PromptAgentOptions,
} from "./prompt-agent-options.ts";
import { PromptFilling } from "./prompt-filling.ts";
import { checkDefinition } from "./register-agent.ts";
import { SystemOverride } from "./system-override.ts";

/**
 * Defines an agent by a prompt that Genkit knows: one defined in code or a `.prompt` file. One prompt may serve many agents, each with an input, a system
 * text and settings of its own. Resolves when the prompt was found, the input fits and the prompt was rendered once with it.
 *
 * @example
 * const pirate = await definePromptAgent(ai, { name: "pirate", prompt: "chat", input: { personality: "a pirate" }, store });
 *
 * @throws TurnkeepError NOT_FOUND when there is no such prompt, INVALID_ARGUMENT when the input does not fit the prompt's schema or the prompt cannot
 * be rendered.
 */
export async function definePromptAgent<
  Custom = Json,
  Input = Json,
  Output = Json,
  StateInput = unknown,
  PromptOutput = unknown,
>(
  ai: Genkit,
  options: PromptAgentOptions<Custom, Input, Output, StateInput, PromptOutput> &
    NeedsInitialState<Custom, StateInput>,
): Promise<GenkitAgent<Custom, AnswerOf<Output, PromptOutput>, JsonUnless<Input>>> {
  checkDefinition(ai, options, PROMPT_OPTIONS);
  const {
    prompt,
    input: given,
    messages,
    system,
    checkPrompt = true,
    replace: _,
    ...rest
  } = options as PromptAgentOptions<Custom, Input, Output, unknown, PromptOutput>;
  const found = await findPrompt(ai, prompt ?? rest.name);
  const filling = fillingOf(found, given as Json | undefined);
  if (filling.own !== undefined) filling.check(filling.own, "The input");
  const { generation, ...parts } = separate(ai, rest);
  const built = buildPromptAgent<Custom>(ai, {
    ...parts,
    prompt: found.__executablePrompt,
    overrides: generation,
    ...(system !== undefined && { system: new SystemOverride(ai, system) }),
    // Its messages may be a function of the history, which cannot be seen from here.
    readsHistory: true,
    isConstant: false,
    messages: firstMessages(messages),
    filling,
  });
  const template = templateOf(found);
  if (template !== undefined) checkTemplate(ai, template, `The prompt '${found.__action.name}'`);
  if (typeof system === "string") checkTemplate(ai, system, `The system text of '${rest.name}'`);
  if (checkPrompt) await built.check();
  // Once more: another may have taken the name meanwhile.
  checkDefinition(ai, options, PROMPT_OPTIONS);
  return built.define() as never;
}

type PromptAction = Action & { readonly __executablePrompt: ExecutablePrompt<Json | undefined> };

async function findPrompt(
  ai: Genkit,
  prompt: string | AnyPrompt<never, unknown>,
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
  readonly prompt?: {
    readonly raw?: { readonly input?: { readonly default?: JsonObject } };
    readonly template?: string;
  };
}

// Only prompts from files say what their template is.
function templateOf(prompt: PromptAction): string | undefined {
  return (prompt.__action.metadata as FileMetadata | undefined)?.prompt?.template;
}

function nameOf(prompt: string | AnyPrompt<never, unknown>): string {
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
