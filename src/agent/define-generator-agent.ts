import type {
  AgentFinishReason,
  AgentInput,
  Artifact,
  Json,
  JsonObject,
  JsonPatchOperation,
  Message,
  ModelChunk,
  Resume,
} from "../protocol/index.ts";
import { AgentDefinition } from "./agent-definition.ts";
import type { AgentFunction, AgentTools, TurnContext, TurnResult } from "./agent-function.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { CallContext } from "./call-context.ts";
import { startAgent } from "./define-custom-agent.ts";
import { GeneratorTurn } from "./generator-turn.ts";
import { LocalAgent } from "./local-agent.ts";
import type { Session } from "./session.ts";
import type { NeedsInitialState } from "./state-reader.ts";

/** The types of messages, chunks and resumes that a loop works with: those of a model library, if it has its own. */
export interface LoopTypes {
  readonly messages: readonly object[];
  readonly chunk: object;
  readonly resume: object;
}

/** The types of this package. */
export interface OwnLoopTypes {
  readonly messages: readonly Message[];
  readonly chunk: ModelChunk;
  readonly resume: Resume;
}

/** A loop over the inputs of a session: called once for each turn, it returns what the session then holds. */
export type GeneratorAgentFunction<Custom = Json, Types extends LoopTypes = OwnLoopTypes> = (
  context: GeneratorContext<Custom, Types>,
) => AsyncGenerator<GeneratorChunk<Types>, GeneratorResult<Custom, Types> | void, void>;

/** What the loop of a generator agent receives. */
export interface GeneratorContext<Custom = Json, Types extends LoopTypes = OwnLoopTypes> {
  /** Yields the input of the turn and ends. The next input calls the loop again, with what this call left in `init`. */
  readonly inputStream: AsyncIterable<GeneratorInput<Types>>;
  /** The session before the input: from the store, or from the client if there is none. */
  readonly init: GeneratorInit<Custom, Types>;
  /** Streams a chunk, like `yield`. Does nothing once the loop has returned. */
  readonly sendChunk: (chunk: GeneratorChunk<Types>) => void;
  /** The session, input included. What the loop changes is saved with the turn. */
  readonly session: Session<Custom>;
  /** The turn: its ids and attempt, and `turn.step` for what must not be done twice. */
  readonly turn: TurnContext;
  /** Aborts when the turn must stop. */
  readonly signal: AbortSignal;
  readonly context: CallContext;
  /** The tenant that the session belongs to. */
  readonly tenant: string;
}

/**
 * An input as a message: the user's or, for an answer to an interrupt, a tool message with the responses. `resume` is that answer as the client sent it:
 * responses, and requests to run again. It is not enumerable, so that the input can be put into the history as it is.
 */
export type GeneratorInput<Types extends LoopTypes = OwnLoopTypes> = Types["messages"][number] & {
  readonly resume?: Types["resume"];
};

/** What the session holds before the input of a turn. */
export interface GeneratorInit<Custom = Json, Types extends LoopTypes = OwnLoopTypes> {
  readonly sessionId: string;
  /** The history, in an array of the loop's own. */
  readonly messages: Types["messages"];
  readonly artifacts: readonly Artifact[];
  readonly state?: Custom;
}

/** What a loop yields or sends while it works. */
export interface GeneratorChunk<Types extends LoopTypes = OwnLoopTypes> {
  /** Always that of the session, and may be left out. */
  readonly sessionId?: string | undefined;
  /** A piece of the answer. Without returned or added messages, the pieces become the messages of the turn. */
  readonly chunk?: Types["chunk"] | undefined;
  /** The same as `chunk`, under the name that it has in streams. */
  readonly modelChunk?: Types["chunk"] | undefined;
  /** A JSON Patch (RFC 6902) of the custom state; one that is not set yet counts as `{}`. */
  readonly stateUpdate?: readonly JsonPatchOperation[] | undefined;
  /** Added to the session; one of the same name is replaced. */
  readonly artifact?: Artifact | undefined;
  readonly status?: Json | undefined;
}

/** What a loop returns. A part that is absent stays as it is in the session. */
export interface GeneratorResult<Custom = Json, Types extends LoopTypes = OwnLoopTypes> {
  /** Always that of the session, and may be left out. */
  readonly sessionId?: string | undefined;
  /** The whole history, input and answer included. */
  readonly messages?: Readonly<Types["messages"]> | undefined;
  /** Replace those in `init`; artifacts that the loop sent stay. */
  readonly artifacts?: readonly Artifact[] | undefined;
  readonly state?: Custom | undefined;
  /** `interrupted` by default if the last message waits for a person, otherwise `stop`. */
  readonly finishReason?: AgentFinishReason | undefined;
  /** What the turn used up: tokens and the like. */
  readonly usage?: JsonObject | undefined;
}

/**
 * Defines an agent by a loop over a stream of inputs. The loop is called once for each turn: the stream yields the turn's input and ends, and what the loop
 * yielded, changed and returned is saved with the turn. So it must not keep anything in variables from one input to the next; `init` and `session` hold it.
 */
export function defineGeneratorAgent<Custom = Json, StateInput = unknown>(
  options: AgentOptions<Custom, StateInput> & NeedsInitialState<Custom, StateInput>,
  work: GeneratorAgentFunction<Custom>,
): LocalAgent<Custom> {
  const definition = new AgentDefinition<Custom>(
    options as AgentOptions<Custom>,
    generatorFunction(work),
    {
      isSelfContained: true,
    },
  );
  return startAgent(new LocalAgent<Custom>(definition), options);
}

function generatorFunction<Custom>(
  work: GeneratorAgentFunction<Custom>,
): AgentFunction<Custom, never> {
  return (tools: AgentTools<Custom, never>): Promise<void> =>
    tools.session.run((input: AgentInput, turn: TurnContext): Promise<TurnResult> =>
      new GeneratorTurn({ tools, input, turn }).run(work),
    );
}
