import type { GenerateOptions, GenerateResponse, Genkit } from "genkit";
import type {
  AgentFinishReason,
  AgentInput,
  AgentTools,
  Json,
  Message,
  TurnContext,
  TurnResult,
} from "../agent/index.ts";
import { TurnkeepError, type Part } from "../protocol/index.ts";
import { GenkitSession } from "./genkit-session.ts";
import { genkitResume } from "./genkit-types.ts";
import { findPending, settleInterrupts, type SettledInterrupts } from "./pending-interrupts.ts";
import type { PromptSource } from "./prompt-source.ts";
import { RestartedTools } from "./restarted-tools.ts";
import type { ToolBook } from "./tool-book.ts";
import { ToolRunner } from "./tool-runner.ts";
import { turnMiddleware } from "./turn-middleware.ts";
import { TurnRecord } from "./turn-record.ts";

export interface PromptTurnOptions {
  readonly ai: Genkit;
  readonly prompt: PromptSource;
  readonly tools: ToolBook;
  /** What the prompt is rendered with, unless the session says otherwise. */
  readonly input: Json | undefined;
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
    const request = await this.#request(settled);
    const use = [this.#middleware(record, restarts), ...(request.use ?? [])];
    try {
      const response = await this.#generate({ ...request, use });
      return this.#finish(record, response);
    } catch (error) {
      return this.#interruptAgain(record, restarts, error);
    }
  }

  // Before anything can fail, so that a second try finds it.
  #start({ message }: AgentInput): void {
    const { session } = this.#agent;
    const { input, messages } = this.#options;
    const isNew = session.messages().length === (message ? 1 : 0);
    if (!isNew) return;
    if (input !== undefined && session.promptInput() === undefined) session.setPromptInput(input);
    if (messages.length > 0) session.setMessages([...messages, ...session.messages()]);
    this.#turn.keep();
  }

  // No model can be asked as long as requests for tools stand unanswered in the talk.
  #refuseMessageInstead({ message, resume }: AgentInput): void {
    const { session } = this.#agent;
    const before = message ? session.messages().slice(0, -1) : session.messages();
    if (resume || !findPending(before)) return;
    session.setMessages(before);
    this.#turn.keep();
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      "Tool requests wait for an answer. Send 'resume' with an answer to each of them before anything else.",
      { reason: "INTERRUPT_PENDING" },
    );
  }

  async #request(settled: SettledInterrupts | undefined): Promise<GenerateOptions> {
    const { session, context } = this.#agent;
    const { prompt, tools, input } = this.#options;
    const talk = session.messages();
    const history = settled ? [...talk.slice(0, -1), settled.message] : talk;
    const request = await prompt.render({
      session,
      input: session.promptInput() ?? input,
      history,
      context,
    });
    tools.learn(request.tools);
    if (settled === undefined) return request;
    return { ...request, resume: genkitResume(settled) };
  }

  #middleware(
    record: TurnRecord,
    restarts: RestartedTools,
  ): NonNullable<GenerateOptions["use"]>[number] {
    const { session } = this.#agent;
    const turn = this.#turn;
    const tools = new ToolRunner({ session, turn, tools: this.#options.tools });
    return turnMiddleware({ record, tools, restarts, signal: turn.signal });
  }

  async #generate(request: GenerateOptions): Promise<GenerateResponse> {
    const { session, respond } = this.#agent;
    const { ai } = this.#options;
    return await new GenkitSession(session).run(() =>
      ai.generate({
        ...request,
        abortSignal: this.#turn.signal,
        onChunk: (chunk) => respond.modelChunk(chunk.toJSON() as never),
      }),
    );
  }

  #finish(record: TurnRecord, response: GenerateResponse): TurnResult {
    const message = response.message?.toJSON() as Message | undefined;
    record.finish(message);
    const { usage } = record;
    const finishReason = finishReasonOf(response);
    if (finishReason === "interrupted" && message) this.#showRequests(message);
    return { finishReason, ...(usage && { usage }) };
  }

  #interruptAgain(record: TurnRecord, restarts: RestartedTools, error: unknown): TurnResult {
    const pending = record.isResumed ? undefined : restarts.pending();
    if (pending === undefined) throw error;
    record.stillPending(pending);
    if (!restarts.areInterrupted) throw error;
    this.#showRequests(pending);
    return { finishReason: "interrupted" };
  }

  // Clients of Genkit learn of interrupts by this chunk.
  #showRequests({ content }: Message): void {
    const requests = content.filter((part: Part) => part.toolRequest !== undefined);
    if (requests.length > 0) this.#agent.respond.modelChunk({ role: "tool", content: requests });
  }
}

// How the model's answer ended. How the turn ended is not the model's to say.
function finishReasonOf({ finishReason }: GenerateResponse): AgentFinishReason {
  return finishReason === "aborted" || finishReason === "failed" ? "other" : finishReason;
}
