import type {
  AgentInput,
  AgentResult,
  AgentStreamChunk,
  Artifact,
  Json,
  Message,
  ModelChunk,
} from "../protocol/index.ts";
import type { AgentTools } from "./agent-function.ts";
import type { AgentOptions } from "./agent-options.ts";
import { defineCustomAgent } from "./define-custom-agent.ts";
import type { LocalAgent } from "./local-agent.ts";

/** A loop that reads its inputs from a stream and returns what the session is to hold. */
export type GeneratorAgentFunction<Custom = Json> = (
  tools: GeneratorTools<Custom>,
) => AsyncGenerator<AgentStreamChunk, GeneratorResult<Custom> | void, void>;

/** What the loop of such an agent is given. */
export interface GeneratorTools<Custom = Json> {
  /** The users' messages, as they come. */
  readonly inputStream: AsyncIterable<Message>;
  /** What the session holds at the start: from the store, or from the client. */
  readonly init: GeneratorInit<Custom>;
  readonly sendChunk: (chunk: GeneratorChunk) => void;
  readonly signal: AbortSignal;
}

/** What a session holds when the loop begins. */
export interface GeneratorInit<Custom = Json> {
  readonly sessionId: string;
  readonly messages: readonly Message[];
  readonly artifacts: readonly Artifact[];
  readonly state?: Custom;
}

/** Something the loop tells its listeners while it works. */
export interface GeneratorChunk {
  readonly sessionId?: string;
  readonly chunk?: ModelChunk;
  readonly artifact?: Artifact;
  readonly status?: Json;
}

/** Kept when the loop returns, and only then: each part that is named takes the place of what the session held. */
export interface GeneratorResult<Custom = Json> {
  readonly sessionId?: string;
  readonly messages?: readonly Message[];
  readonly artifacts?: readonly Artifact[];
  readonly state?: Custom;
}

/**
 * Defines an agent by a loop over a stream of messages. It is the loop's own business what it makes of them; what it returns is kept. An agent that
 * is to keep every turn of a long connection is better defined by `defineCustomAgent`.
 */
export function defineGeneratorAgent<Custom = Json, StateInput = unknown>(
  options: AgentOptions<Custom, StateInput>,
  work: GeneratorAgentFunction<Custom>,
): LocalAgent<Custom> {
  return defineCustomAgent<Custom>(options, async (tools) => await runLoop(tools, work));
}

async function runLoop<Custom>(
  tools: AgentTools<Custom>,
  work: GeneratorAgentFunction<Custom>,
): Promise<AgentResult> {
  const { session, respond, signal } = tools;
  const inputs = new HandedInputs();
  const loop = drive(tools, work({ inputStream: inputs, init: initOf(tools), sendChunk, signal }));
  const ended = loop.finally(() => inputs.loopEnded());
  ended.catch(() => {});
  let isKept = false;
  await session.run(async ({ message }: AgentInput, turn) => {
    if (message) await inputs.hand(message);
    // No more inputs will come: what the loop returns now belongs to this turn.
    if (session.hasNoMoreInputs()) inputs.close();
    if (inputs.isOver) {
      keepResult(tools, await ended);
      isKept = true;
    }
    turn.signal.throwIfAborted();
    return { finishReason: "stop" };
  });
  inputs.close();
  const result = await ended;
  if (!isKept) keepResult(tools, result);
  return session.result();

  function sendChunk({ chunk, artifact, status }: GeneratorChunk): void {
    if (chunk) respond.modelChunk(chunk);
    if (artifact) respond.artifact(artifact);
    if (status !== undefined) respond.status(status);
  }
}

async function drive<Custom>(
  { respond }: AgentTools<Custom>,
  generator: AsyncGenerator<AgentStreamChunk, GeneratorResult<Custom> | void, void>,
): Promise<GeneratorResult<Custom>> {
  for (;;) {
    const { done, value } = await generator.next();
    if (done) return value ?? {};
    respond.chunk(value);
  }
}

function initOf<Custom>({ session }: AgentTools<Custom>): GeneratorInit<Custom> {
  const custom = session.custom();
  return {
    sessionId: session.sessionId,
    messages: session.messages(),
    artifacts: session.artifacts(),
    ...(custom !== undefined && { state: custom }),
  };
}

function keepResult<Custom>(
  { session }: AgentTools<Custom>,
  { messages, artifacts, state }: GeneratorResult<Custom>,
): void {
  if (messages) session.setMessages(messages);
  if (artifacts) session.setArtifacts(artifacts);
  if (state !== undefined) session.setCustom(state);
}

/** Hands messages over one at a time: a turn lasts from its message to the moment the loop asks for the next one, or ends. */
class HandedInputs implements AsyncIterable<Message> {
  isOver = false;
  #isClosed = false;
  #message: Message | undefined;
  #wakeLoop: () => void = () => {};
  #turnDone: () => void = () => {};

  hand(message: Message): Promise<void> {
    if (this.isOver) return Promise.resolve();
    this.#message = message;
    const done = new Promise<void>((resolve) => (this.#turnDone = resolve));
    this.#wakeLoop();
    return done;
  }

  close(): void {
    this.#isClosed = true;
    this.#wakeLoop();
    if (this.#message === undefined) this.isOver = true;
  }

  loopEnded(): void {
    this.isOver = true;
    this.#turnDone();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Message> {
    for (;;) {
      const message = this.#message;
      this.#message = undefined;
      if (message === undefined && this.#isClosed) return;
      if (message === undefined) {
        await new Promise<void>((resolve) => (this.#wakeLoop = resolve));
        continue;
      }
      yield message;
      // Asked for the next one: this turn is done.
      this.#turnDone();
    }
  }
}
