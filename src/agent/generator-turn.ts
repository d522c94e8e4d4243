import {
  type AgentInput,
  appendModelChunk,
  applyPatch,
  type Artifact,
  type Json,
  jsonEqual,
  type Message,
  type ModelChunk,
  parseJsonPatch,
  TurnkeepError,
} from "../protocol/index.ts";
import type { AgentTools, TurnContext, TurnResult } from "./agent-function.ts";
import type {
  GeneratorAgentFunction,
  GeneratorChunk,
  GeneratorContext,
  GeneratorInit,
  GeneratorInput,
  GeneratorResult,
} from "./define-generator-agent.ts";
import { withSignal } from "./lazy-signal.ts";
import { plainCopy } from "./plain-copy.ts";

export interface GeneratorTurnOptions<Custom> {
  readonly tools: AgentTools<Custom, never>;
  readonly input: AgentInput;
  readonly turn: TurnContext;
}

const CHUNK_MEMBERS = ["sessionId", "chunk", "modelChunk", "stateUpdate", "artifact", "status"];

/** One call of a generator agent's loop, for one input. */
export class GeneratorTurn<Custom> {
  readonly #options: GeneratorTurnOptions<Custom>;
  /** The history with the turn's own message, before the loop changes anything. */
  readonly #history: readonly Message[];
  readonly #artifacts: readonly Artifact[];
  #answer: readonly Message[] = [];
  #lastIndex: number | undefined;
  #isOver = false;

  constructor(options: GeneratorTurnOptions<Custom>) {
    this.#options = options;
    const { session } = options.tools;
    this.#history = session.messages();
    this.#artifacts = session.artifacts();
  }

  /** Calls the loop and puts what it returned into the session. */
  async run(work: GeneratorAgentFunction<Custom>): Promise<TurnResult> {
    try {
      const result = await this.#drain(work(this.#context()));
      this.#save(result);
      const { finishReason = this.#defaultReason(), usage } = result;
      return { finishReason, usage };
    } finally {
      this.#isOver = true;
    }
  }

  #context(): GeneratorContext<Custom> {
    const { tools, input, turn } = this.#options;
    const { session, context, tenant } = tools;
    const message = messageOf(input) ?? this.#retriedMessage();
    const isInHistory = message !== undefined && message === this.#history.at(-1);
    const messages = isInHistory ? this.#history.slice(0, -1) : [...this.#history];
    const given = message && withResume(message, input);
    const members: Omit<GeneratorContext<Custom>, "signal"> = {
      inputStream: streamOf(given),
      init: this.#init(messages),
      sendChunk: (chunk) => this.#send(chunk),
      session,
      turn,
      context,
      tenant,
    };
    return withSignal(members, turn);
  }

  // A failed turn leaves its message at the end of the history; an empty input asks to work on it again.
  #retriedMessage(): Message | undefined {
    const last = this.#history.at(-1);
    return last?.role === "user" ? last : undefined;
  }

  #init(messages: Message[]): GeneratorInit<Custom> {
    const { session } = this.#options.tools;
    const custom = session.custom();
    return {
      sessionId: session.sessionId,
      messages,
      artifacts: this.#artifacts,
      ...(custom !== undefined && { state: custom }),
    };
  }

  async #drain(loop: ReturnType<GeneratorAgentFunction<Custom>>): Promise<GeneratorResult<Custom>> {
    if (typeof (loop as { readonly next?: unknown } | undefined)?.next !== "function")
      throw noGenerator();
    const { signal } = this.#options.turn;
    for (;;) {
      const { done, value } = await loop.next();
      if (signal.aborted) {
        await loop.return();
        throw signal.reason;
      }
      if (done) return value ?? {};
      this.#send(value);
    }
  }

  #send(given: GeneratorChunk): void {
    if (this.#isOver) return;
    checkChunk(given);
    const { respond, session } = this.#options.tools;
    const { chunk = given.modelChunk, stateUpdate, artifact, status } = given;
    if (chunk !== undefined) this.#sendAnswer(plainCopy(chunk, "chunk"));
    if (stateUpdate !== undefined) {
      const before = (session.custom() ?? {}) as Json;
      session.setCustom(applyPatch(before, parseJsonPatch(stateUpdate)) as Custom);
    }
    if (artifact !== undefined) respond.artifact(artifact);
    if (status !== undefined) respond.status(status as never);
  }

  #sendAnswer(chunk: ModelChunk): void {
    this.#options.tools.respond.modelChunk(chunk);
    this.#answer = appendModelChunk(this.#answer, chunk, this.#lastIndex);
    this.#lastIndex = chunk.index;
  }

  #save({ messages, artifacts, state }: GeneratorResult<Custom>): void {
    const { session } = this.#options.tools;
    if (messages) this.#saveMessages(messages);
    else if (session.messages() === this.#history) session.addMessages(...this.#answer);
    if (artifacts) this.#saveArtifacts(artifacts);
    if (state !== undefined) session.setCustom(state);
  }

  // Most loops return what they received with more behind it: then only that is added.
  #saveMessages(messages: readonly Message[]): void {
    const { session } = this.#options.tools;
    const before = session.messages();
    const isGrown =
      Array.isArray(messages) && before.every((message, at) => isSame(message, messages[at]));
    if (isGrown) session.addMessages(...messages.slice(before.length));
    else session.setMessages(messages);
  }

  #saveArtifacts(artifacts: readonly Artifact[]): void {
    const { session } = this.#options.tools;
    const names = new Set(artifacts.map(({ name }) => name));
    const sent = session
      .artifacts()
      .filter((artifact) => !this.#artifacts.includes(artifact) && !names.has(artifact.name));
    session.setArtifacts([...artifacts, ...sent]);
  }

  #defaultReason(): "interrupted" | "stop" {
    const last = this.#options.tools.session.messages().at(-1);
    return isInterrupted(last) ? "interrupted" : "stop";
  }
}

async function* streamOf<Item>(item: Item | undefined): AsyncGenerator<Item, void> {
  if (item !== undefined) yield item;
}

// The history takes no message from an answer to an interrupt: the loop decides what becomes of it.
function messageOf({ message, resume }: AgentInput): Message | undefined {
  if (message || !resume) return message;
  return { role: "tool", content: resume.respond ?? [], metadata: { resumed: true } };
}

function withResume(message: Message, { resume }: AgentInput): GeneratorInput {
  return resume ? Object.defineProperty({ ...message }, "resume", { value: resume }) : message;
}

function isInterrupted(message: Message | undefined): boolean {
  return (
    message?.role === "model" &&
    message.content.some((part) => part.toolRequest && part.metadata?.["interrupt"])
  );
}

function isSame(left: Message, right: Message | undefined): boolean {
  return left === right || (right !== undefined && jsonEqual(left, right));
}

function checkChunk(chunk: GeneratorChunk): void {
  const isObject = typeof chunk === "object" && chunk !== null;
  const unknown = isObject ? Object.keys(chunk).find((name) => !CHUNK_MEMBERS.includes(name)) : "";
  if (unknown === undefined) return;
  const what =
    unknown === "" ? "A chunk must be an object" : `Unknown member '${unknown}' of a chunk`;
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    `${what}. Yield or send an object with any of: ${CHUNK_MEMBERS.join(", ")}.`,
  );
}

function noGenerator(): TurnkeepError {
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    "The loop of a generator agent must be an async generator function: async function* ({ inputStream }) { … }.",
  );
}
