import { ToolInterruptError, type ToolRequestPart, type ToolResponsePart } from "genkit";
import type { Message, Part, StepContext } from "../agent/index.ts";
import { type Json, type JsonObject, TurnkeepError } from "../protocol/index.ts";
import { type CurrentTurn, turnScope } from "./current-tool-call.ts";
import { keyOf, ownRef } from "./distinct-refs.ts";
import { JournaledChanges } from "./journaled-changes.ts";
import { type SubAgentMemory, withMemory } from "./sub-agent-memory.ts";
import type { ToolBook } from "./tool-book.ts";
import { type ToolCall, withRemembering, withToolCall } from "./tool-call.ts";

export interface ToolRunnerOptions extends CurrentTurn {
  readonly tools: ToolBook;
}

/** Calls what is left of the tool: middleware of others, then the tool itself. */
export type RunTool = (options: object) => Promise<ToolResponsePart | undefined>;

/** What the journal remembers of a call: how it came out, what it made of the session, and what an agent remembers that it asked. */
type Outcome = { readonly made?: JsonObject; readonly memory?: JsonObject } & (
  | { readonly answer?: JsonObject }
  | { readonly interrupt: JsonObject | true }
);

/** Runs the tools of one turn: each journaled, with the turn's signal and a key of its own, and answering in the order they were asked. */
export class ToolRunner {
  readonly #options: ToolRunnerOptions;
  readonly #changes: JournaledChanges;
  #earlier: Promise<unknown> | undefined;
  #round: (ToolResponsePart | undefined)[] = [];
  readonly #memories = new Map<string, SubAgentMemory>();

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
    this.#changes = new JournaledChanges(options.session);
  }

  /** The next requests are those of another message. */
  startRound(): void {
    this.#round = [];
  }

  /** The message of this round, which waits for a person, with the parts that came with answers: Genkit holds back only the outputs. */
  withPendingContent(message: Message): Message {
    const requests = message.content.filter(({ toolRequest }) => toolRequest);
    const content = message.content.map((part): Part => {
      const answer = this.#round[requests.indexOf(part)];
      const pendingContent = answer?.toolResponse.content as Json | undefined;
      return pendingContent ? { ...part, metadata: { ...part.metadata, pendingContent } } : part;
    });
    return this.withMemories({ ...message, content });
  }

  /** The waiting message with what agents remember that its requests asked. */
  withMemories(message: Message): Message {
    if (this.#memories.size === 0) return message;
    const content = message.content.map((part): Part => {
      const memory = part.toolRequest && this.#memories.get(keyOf(part.toolRequest));
      const metadata = withMemory(part.metadata, memory);
      return metadata ? { ...part, metadata } : part;
    });
    return { ...message, content };
  }

  async run(
    part: ToolRequestPart,
    options: object,
    runTool: RunTool,
  ): Promise<ToolResponsePart | undefined> {
    const round = this.#round;
    const place = round.push(undefined) - 1;
    const outcome = this.#journal(part, options, runTool);
    const { before, leave } = this.#queue();
    try {
      // Genkit lists answers as they come; those of one round come in the order of the requests.
      const [result] = await Promise.allSettled([outcome, before]);
      if (result.status === "rejected") throw result.reason;
      this.#noteMemory(part, result.value);
      return (round[place] = answerOf(part, result.value));
    } finally {
      leave();
    }
  }

  #noteMemory({ toolRequest }: ToolRequestPart, { memory }: Outcome): void {
    const { name, ref } = toolRequest;
    if (memory) this.#memories.set(keyOf({ name, ref: ownRef(ref) }), memory as never);
  }

  #queue(): { readonly before: Promise<unknown> | undefined; readonly leave: () => void } {
    const before = this.#earlier;
    const { promise, resolve } = deferred();
    this.#earlier = promise;
    return { before, leave: resolve };
  }

  async #journal(part: ToolRequestPart, options: object, runTool: RunTool): Promise<Outcome> {
    const { tools, turn } = this.#options;
    const { name, input = null } = part.toolRequest;
    const idempotent = await tools.isIdempotent(name);
    let isRun = false;
    try {
      const outcome = await turn.step(
        { name, input: input as Json, ...(idempotent && { idempotent }) },
        async (step): Promise<Outcome & JsonObject> => {
          isRun = true;
          return await this.#changes.record(() => this.#outcomeOf(step, options, runTool));
        },
      );
      // Done by a worker that died: what it made of the session is made again.
      if (!isRun && outcome.made) this.#changes.repeat(outcome.made);
      return outcome;
    } catch (error) {
      if (!isUnknownOutcome(error)) throw error;
      // Whether to do it again is for a person to say.
      return { interrupt: { reason: "UNKNOWN_TOOL_OUTCOME", ...(error.details as JsonObject) } };
    }
  }

  async #outcomeOf(
    { idempotencyKey, signal }: StepContext,
    options: object,
    runTool: RunTool,
  ): Promise<Outcome> {
    const { tools: _, ...current } = this.#options;
    let memory: SubAgentMemory | undefined;
    const call = withRemembering(
      { ...current, signal, idempotencyKey } as unknown as ToolCall,
      (kept) => (memory = kept),
    );
    // What a tool sends with Genkit's own `sendChunk` is a status of the turn.
    const onChunk = (chunk: unknown): void => current.respond.status(chunk as never);
    const given = withToolCall({ ...options, abortSignal: signal, onChunk }, call);
    const inScope = turnScope(current, idempotencyKey);
    const outcome = await outcomeOf(() => inScope(() => runTool(given)));
    return memory ? { ...outcome, memory: memory as unknown as JsonObject } : outcome;
  }
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: (() => void) | undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve?.() };
}

async function outcomeOf(run: () => Promise<ToolResponsePart | undefined>): Promise<Outcome> {
  try {
    const response = await run();
    return response ? { answer: plain(response) } : {};
  } catch (error) {
    const interrupt = findInterrupt(error);
    if (interrupt === undefined) throw error;
    return { interrupt };
  }
}

// A journaled answer may be to an earlier request of the same kind, with another reference.
function answerOf(
  { toolRequest: { name, ref } }: ToolRequestPart,
  outcome: Outcome,
): ToolResponsePart | undefined {
  if ("interrupt" in outcome) {
    throw new ToolInterruptError(outcome.interrupt === true ? undefined : { ...outcome.interrupt });
  }
  if (outcome.answer === undefined) return undefined;
  const { toolResponse, ...rest } = outcome.answer as unknown as ToolResponsePart;
  const { output, content } = toolResponse;
  const memory = outcome.memory as unknown as SubAgentMemory | undefined;
  const metadata = withMemory(rest.metadata as JsonObject | undefined, memory);
  return {
    ...rest,
    ...(metadata && { metadata }),
    toolResponse: {
      name,
      ...(ref !== undefined && { ref }),
      // Genkit holds back no answer that has no output at all.
      output: output ?? null,
      ...(content && { content }),
    },
  };
}

/** What a tool says when it waits for a person; `undefined` for any other error. */
export function findInterrupt(error: unknown): JsonObject | true | undefined {
  // By name, since Genkit has one class for `import` and another for `require`.
  if (!(error instanceof Error) || error.name !== "ToolInterruptError") return undefined;
  const { metadata } = error as ToolInterruptError;
  return metadata ? plain(metadata) : true;
}

function isUnknownOutcome(error: unknown): error is TurnkeepError {
  return TurnkeepError.is(error) && error.reason === "UNKNOWN_TOOL_OUTCOME";
}

// Whatever a tool returns, JSON is what the model and the journal get.
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
