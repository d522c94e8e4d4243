import type { DocumentData, GenerateOptions, MessageData, Part as GenkitPart } from "genkit";
import type { AgentOptions, CallContext, Json } from "../agent/index.ts";
import type { JsonObject } from "../protocol/index.ts";
import type { AnySchema } from "./json-schema.ts";
import type { PromptOverrides } from "./prompt-source.ts";
import type { RegisterOptions } from "./register-agent.ts";
import type { SubAgent } from "./sub-agent.ts";

/** What every agent on Genkit can be told besides its prompt. Its inputs and output are the prompt's to say. */
type OwnOptions<Custom, StateInput> = Omit<
  AgentOptions<Custom, StateInput>,
  "checkInput" | "readOutput"
>;

/** The answer's shape: the text of the last message is read by it, and the result has it as `output`. */
export interface OutputShape<Output> extends Omit<
  NonNullable<GenerateOptions["output"]>,
  "schema"
> {
  readonly schema?: AnySchema<Output>;
  readonly jsonSchema?: JsonObject;
}

/** What model and prompt an agent works with. */
export interface GenerationOptions<Output> extends Omit<PromptOverrides, "output"> {
  readonly output?: OutputShape<Output>;
  /** Agents that this one can ask, as tools. */
  readonly agents?: readonly SubAgent[];
}

/** The shape of what the prompt's template is filled with, and what it is filled with unless a session brings its own. */
export interface PromptInput<Input> {
  readonly schema?: AnySchema<Input>;
  readonly jsonSchema?: JsonObject;
  readonly default?: Input;
}

/** What functions in a prompt are told. */
interface Moment<Custom> {
  readonly state?: Custom;
  readonly context: CallContext;
}

type Parts<Input, Custom> =
  | string
  | GenkitPart
  | GenkitPart[]
  | ((
      input: Input,
      moment: Moment<Custom>,
    ) => GenkitPart[] | Promise<string | GenkitPart | GenkitPart[]>);

const GENERATION_OPTIONS: Record<keyof GenerationOptions<never>, true> = {
  model: true,
  config: true,
  tools: true,
  toolChoice: true,
  output: true,
  docs: true,
  use: true,
  maxTurns: true,
  agents: true,
};

type OwnNames = keyof AgentOptions<never> | keyof RegisterOptions;

/** What `defineAgent` takes besides the options of every agent. */
export const INLINE_OPTIONS: readonly string[] = Object.keys({
  ...GENERATION_OPTIONS,
  input: true,
  system: true,
  prompt: true,
  messages: true,
  metadata: true,
} satisfies Record<Exclude<keyof InlineAgentOptions<never, never, never>, OwnNames>, true>);

/** What `definePromptAgent` takes besides the options of every agent. */
export const PROMPT_OPTIONS: readonly string[] = Object.keys({
  ...GENERATION_OPTIONS,
  prompt: true,
  input: true,
  system: true,
  messages: true,
  checkPrompt: true,
} satisfies Record<Exclude<keyof PromptAgentOptions<never>, OwnNames>, true>);

/** An agent whose prompt is given on the spot. */
export interface InlineAgentOptions<Custom, Input, Output, StateInput = unknown>
  extends OwnOptions<Custom, StateInput>, Omit<GenerationOptions<Output>, "docs">, RegisterOptions {
  readonly input?: PromptInput<Input>;
  /** Rendered again in each turn, with the session's input and `{{@state.field}}`. */
  readonly system?: Parts<Input, Custom>;
  /** Like `system`, behind the talk. */
  readonly prompt?: Parts<Input, Custom>;
  /** As a list: what a new session starts with. As a template or function: what the model is shown, made of the history in each turn. */
  readonly messages?:
    | readonly MessageData[]
    | string
    | ((
        input: Input,
        moment: Moment<Custom> & { readonly history?: MessageData[] },
      ) => MessageData[] | Promise<MessageData[]>);
  readonly docs?:
    | DocumentData[]
    | ((input: Input, moment: Moment<Custom>) => DocumentData[] | Promise<DocumentData[]>);
  readonly metadata?: Record<string, unknown>;
}

/** A prompt as `definePrompt` and `ai.prompt` return it, whatever its schemas are. */
export interface AnyPrompt<Input, Output> {
  readonly ref: { readonly name: string };
  (input?: Input, ...more: never[]): Promise<{ readonly output: Output | null }>;
}

/** An agent with a prompt that Genkit knows. What is said here counts more than what the prompt says. */
export interface PromptAgentOptions<
  Custom,
  Input = Json,
  Output = Json,
  StateInput = unknown,
  PromptOutput = unknown,
>
  extends OwnOptions<Custom, StateInput>, GenerationOptions<Output>, RegisterOptions {
  /** The prompt or its name. The default is the prompt of the agent's own name. */
  readonly prompt?: string | AnyPrompt<Input, PromptOutput>;
  /** What the prompt is filled with, unless a session brings its own. */
  readonly input?: Input;
  /**
   * Takes the place of the prompt's system text: a template, parts, or a function. Rendered again in each turn, like the prompt, with the session's
   * input and `{{@state.field}}`.
   */
  readonly system?: Parts<Input, Custom>;
  /** What a new session starts with. */
  readonly messages?: readonly MessageData[];
  /**
   * Whether the prompt is rendered once when the agent is defined, so that a broken one is refused there; `true` by default. Turn it off for a prompt
   * whose functions cannot do without a caller's context.
   */
  readonly checkPrompt?: boolean;
}

/** What an agent's answers are: as its own output schema says, else as its prompt's does, else any JSON. */
export type AnswerOf<Output, PromptOutput> = [Json] extends [Output]
  ? JsonUnless<PromptOutput>
  : Output;

/** The type of a schema; any JSON where there is no schema. */
export type JsonUnless<Type> = unknown extends Type ? Json : Type;
