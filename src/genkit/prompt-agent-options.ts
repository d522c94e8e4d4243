import type {
  DocumentData,
  ExecutablePrompt,
  GenerateOptions,
  MessageData,
  Part as GenkitPart,
} from "genkit";
import type { AgentOptions, CallContext, Json } from "../agent/index.ts";
import type { JsonObject } from "../protocol/index.ts";
import type { AnySchema } from "./json-schema.ts";
import type { PromptOverrides } from "./prompt-source.ts";
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

/** An agent whose prompt is given on the spot. */
export interface InlineAgentOptions<Custom, Input, Output, StateInput = unknown>
  extends OwnOptions<Custom, StateInput>, Omit<GenerationOptions<Output>, "docs"> {
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

/** An agent with a prompt that Genkit knows. What is said here counts more than what the prompt says. */
export interface PromptAgentOptions<Custom, Input = Json, Output = Json, StateInput = unknown>
  extends OwnOptions<Custom, StateInput>, GenerationOptions<Output> {
  /** The prompt or its name; that of the agent's own name unless told otherwise. */
  readonly prompt?: string | ExecutablePrompt<Input>;
  /** What the prompt is filled with, unless a session brings its own. */
  readonly input?: Input;
  /** What a new session starts with. */
  readonly messages?: readonly MessageData[];
}
