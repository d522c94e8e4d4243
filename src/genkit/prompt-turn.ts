import type { GenerateOptions, GenerateResponse, Genkit } from "genkit";
import type {
  AgentFinishReason,
  AgentInput,
  AgentTools,
  CallContext,
  Message,
  TurnContext,
  TurnResult,
} from "../agent/index.ts";
import { jsonEqual, type Part, TurnkeepError } from "../protocol/index.ts";
import { withOwnRefs } from "./distinct-refs.ts";
import { GenkitSession } from "./genkit-session.ts";
import { changeable, genkitResume } from "./genkit-types.ts";
import { isPending, settleInterrupts, type SettledInterrupts } from "./pending-interrupts.ts";
import type { PromptFilling } from "./prompt-filling.ts";
import type { PromptSource, Rendering } from "./prompt-source.ts";
import { RestartedTools } from "./restarted-tools.ts";
import { withoutMemory } from "./sub-agent-memory.ts";
import type { ToolBook } from "./tool-book.ts";
import { ToolRunner } from "./tool-runner.ts";
import { turnMiddleware } from "./turn-middleware.ts";
import { TurnRecord } from "./turn-record.ts";

export interface PromptTurnOptions {
  readonly ai: Genkit;
  readonly prompt: PromptSource;
  readonly tools: ToolBook;
  readonly filling: PromptFilling;
  /** What a new session starts with. */
  readonly messages: readonly Message[];
}

/** One turn of an agent that is a prompt: renders it, asks the model, runs tools, and leaves the talk as it then stands. */
export class PromptTurn {
  readonly #options: PromptTurnOptions;
  readonly #agent: AgentTools<never>;
  readonly #turn: TurnContext;

  constructor(options: PromptTurnOptions, agent: AgentTools<never>, turn: TurnContext) {
    this.#options = options;
    this.#agent = agent;
    this.#turn = turn;
  }

  async run(input: AgentInput): Promise<TurnResult> {
    const { session } = this.#agent;
    this.#start(input);
    this.#refuseMessageInstead(input);
    const settled = input.resume && settleInterrupts(session.messages(), input.resume);
    const record = new TurnRecord(session, this.#turn);
    const restarts = new RestartedTools(settled);
    const rendering = this.#options.prompt.render(this.#rendering(settled));
    const rendered = rendering instanceof Promise ? await rendering : rendering;
    const request = this.#request(rendered, settled);
    if (settled === undefined) refuseEmpty(request);
    const tools = this.#tools();
    const { signal } = this.#turn;
    const use = [turnMiddleware({ record, tools, restarts, signal }), ...(request.use ?? [])];
    try {
      const response = await this.#generate({ ...request, use });
      return this.#finish(record, tools, response);
    } catch (error) {
      const blocked = record.isBlocked ? responseIn(error) : undefined;
      if (blocked) return this.#finish(record, tools, blocked);
      return this.#interruptAgain({ record, restarts, tools }, error);
    }
  }

  // Before anything can fail, so that a second try finds it.
  #start(input: AgentInput): void {
    const { session } = this.#agent;
    const { messages } = this.#options;
    const isNew = session.messages().length === (input.message ? 1 : 0);
    if (!isNew) return this.#refuseOtherFilling(input);
    if (session.promptInput() === undefined) this.#fillIn();
    if (messages.length > 0) session.setMessages([...messages, ...session.messages()]);
    this.#turn.keep();
  }

  // It is fixed when the session starts. To ignore another would be to answer something that was not asked.
  #refuseOtherFilling({ message, promptInput }: AgentInput): void {
    const { session } = this.#agent;
    const own = session.promptInput();
    if (promptInput === undefined || jsonEqual(promptInput, own ?? null)) return;
    const messages = session.messages();
    this.#takeBack(message ? messages.slice(0, -1) : messages);
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      `Session "${session.sessionId}" was started with another 'promptInput', which stays. Leave it out, or start a new session.`,
    );
  }

  // A session that fails here is as new as before, and may bring an input next time.
  #fillIn(): void {
    const { session } = this.#agent;
    const { filling } = this.#options;
    if (filling.own !== undefined) return session.setPromptInput(filling.own);
    try {
      filling.check({}, "A session without a prompt input");
    } catch (error) {
      this.#takeBack([]);
      throw error;
    }
  }

  // No model can be asked as long as requests for tools stand unanswered in the talk.
  #refuseMessageInstead({ message, resume }: AgentInput): void {
    const { session } = this.#agent;
    const messages = session.messages();
    const count = message ? messages.length - 1 : messages.length;
    if (resume || !isPending(messages[count - 1])) return;
    this.#takeBack(messages.slice(0, count));
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      "Tool requests wait for an answer. Send 'resume' with an answer to each of them before anything else.",
      { reason: "INTERRUPT_PENDING" },
    );
  }

  #takeBack(before: readonly Message[]): void {
    this.#agent.session.setMessages(before);
    this.#turn.keep();
  }

  #rendering(settled: SettledInterrupts | undefined): Rendering {
    const { session } = this.#agent;
    const talk = session.messages();
    return {
      session,
      input: this.#options.filling.complete(session.promptInput()),
      // The message that waits comes last, also behind what the prompt puts behind the talk: there it was said.
      history: settled ? talk.slice(0, -1) : talk,
      context: this.#context(),
    };
  }

  #request(rendered: GenerateOptions, settled: SettledInterrupts | undefined): GenerateOptions {
    this.#options.tools.learn(rendered.tools);
    if (settled === undefined) return rendered;
    const messages = [...(rendered.messages ?? []), changeable(settled.message)];
    return { ...rendered, messages, resume: genkitResume(settled) };
  }

  // Genkit would take the context of the flow around this as well, but put it into templates as it is.
  #context(): CallContext {
    const { context } = this.#agent;
    const isGiven = Object.keys(context).length > 0;
    return isGiven ? context : (this.#options.ai.currentContext() ?? {});
  }

  #tools(): ToolRunner {
    const { session, respond, context, tenant } = this.#agent;
    const { tools } = this.#options;
    return new ToolRunner({ session, turn: this.#turn, respond, context, tenant, tools });
  }

  #generate(request: GenerateOptions): Promise<GenerateResponse> {
    const { session, respond } = this.#agent;
    const { ai } = this.#options;
    return new GenkitSession(session).run(() =>
      ai.generate({
        ...request,
        abortSignal: this.#turn.signal,
        onChunk: (chunk) => {
          const { content, ...rest } = chunk.toJSON();
          respond.modelChunk({ ...rest, content: withOwnRefs(content) } as never);
        },
      }),
    );
  }

  #finish(record: TurnRecord, tools: ToolRunner, response: GenerateResponse): TurnResult {
    const said = saidIn(response);
    const finishReason = finishReasonOf(response);
    const isWaiting = finishReason === "interrupted";
    const message = said && isWaiting ? tools.withPendingContent(said) : said;
    record.finish(message);
    const { usage } = record;
    if (message && isWaiting) this.#showRequests(message);
    return { finishReason, ...(usage && { usage }) };
  }

  #interruptAgain({ record, restarts, tools }: Round, error: unknown): TurnResult {
    const waiting = record.isResumed ? undefined : restarts.pending();
    if (waiting === undefined) throw error;
    const pending = tools.withMemories(waiting);
    record.stillPending(pending);
    if (!restarts.areInterrupted) throw error;
    this.#showRequests(pending);
    return { finishReason: "interrupted" };
  }

  // Clients of Genkit learn of interrupts by this chunk.
  #showRequests({ content }: Message): void {
    const requests = content
      .filter((part: Part) => part.toolRequest !== undefined)
      .map((part) => withoutMemory(part));
    if (requests.length > 0) this.#agent.respond.modelChunk({ role: "tool", content: requests });
  }
}

// A retry finds the user's message, or the tools' answers, at the end; a prompt may say something as the user itself.
function refuseEmpty({ messages = [] }: GenerateOptions): void {
  const last = messages.at(-1)?.role;
  if (last === "user" || last === "tool") return;
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    "There is nothing to answer: send a 'message', or a 'resume' for tool requests that wait.",
  );
}

/** What a turn works with while Genkit's loop runs. */
interface Round {
  readonly record: TurnRecord;
  readonly restarts: RestartedTools;
  readonly tools: ToolRunner;
}

// How the model's answer ended. How the turn ended is not the model's to say.
function finishReasonOf({ finishReason }: GenerateResponse): AgentFinishReason {
  return finishReason === "aborted" || finishReason === "failed" ? "other" : finishReason;
}

// Genkit throws what the model refused to say; to the session it is an answer like any other.
function responseIn(error: unknown): GenerateResponse | undefined {
  return (error as { readonly detail?: { readonly response?: GenerateResponse } }).detail?.response;
}

// Of a blocked answer there may be nothing, or requests for tools that will never be answered.
function saidIn({ message, finishReason }: GenerateResponse): Message | undefined {
  const said = message?.toJSON() as Message | undefined;
  if (finishReason !== "blocked") return said;
  const content = said?.content.filter(({ toolRequest }) => toolRequest === undefined) ?? [];
  return said && content.length > 0 ? { ...said, content } : undefined;
}
