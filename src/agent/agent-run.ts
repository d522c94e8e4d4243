import { EMPTY_CONTENT, type Ports, type SessionContent } from "../ledger/index.ts";
import {
  type AgentFinishReason,
  type AgentInit,
  type AgentInput,
  type AgentResult,
  type Artifact,
  type Json,
  type Message,
  type RuntimeError,
  TurnkeepError,
} from "../protocol/index.ts";
import type {
  AgentFunction,
  AgentTools,
  Responder,
  RunSession,
  TurnContext,
  TurnHandler,
  TurnResult,
} from "./agent-function.ts";
import type { AgentLimits } from "./agent-options.ts";
import type { CallContext } from "./call-context.ts";
import { withCurrentSession } from "./current-session.ts";
import { InputChannel } from "./input-channel.ts";
import { PatchTracker } from "./patch-tracker.ts";
import type { BegunTurn, RunKeeper, SubmittedInput, TurnEnding } from "./run-keeper.ts";
import { Session } from "./session.ts";
import { checkCustom, type StateSchema } from "./state-schema.ts";
import { toRuntimeError } from "./to-runtime-error.ts";
import { turnAborted, turnTaken } from "./turn-lease.ts";
import { withinTime } from "./within-time.ts";

export interface AgentRunOptions<Custom> {
  readonly agent: string;
  readonly work: AgentFunction<Custom, never>;
  readonly schema?: StateSchema<Custom>;
  readonly limits: AgentLimits;
  readonly ports: Ports;
  readonly context: CallContext;
  readonly init: AgentInit<Custom>;
  /** Aborts when the caller stops the run. */
  readonly signal: AbortSignal;
}

/** How a run came out. */
export interface RunOutcome {
  readonly content: SessionContent;
  readonly snapshotId?: string;
  readonly message?: Message;
  readonly artifacts?: readonly Artifact[];
  readonly finishReason?: AgentFinishReason;
  readonly error?: RuntimeError;
}

/** One run of an agent in this process: feeds its inputs to the agent's function, turn by turn, and keeps what comes of it. */
export class AgentRun<Custom> {
  readonly keeper: RunKeeper;
  readonly outcome: Promise<RunOutcome>;
  readonly #started: Promise<boolean>;
  readonly #options: AgentRunOptions<Custom>;
  readonly #inputs: InputChannel<SubmittedInput>;
  readonly #patches = new PatchTracker();
  #isClosed = false;
  #turnIndex = 0;
  #lastReason: AgentFinishReason | undefined;
  #lastSnapshotId: string | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(keeper: RunKeeper, options: AgentRunOptions<Custom>) {
    this.keeper = keeper;
    this.#options = options;
    this.#inputs = new InputChannel<SubmittedInput>();
    const content = this.#load();
    this.#started = content.then(
      () => true,
      () => false,
    );
    this.outcome = this.#execute(content);
    // Whoever waits for the outcome sees its failure; a run nobody waits for must not bring the process down.
    this.outcome.catch(() => {});
  }

  /** Resolves when the input is taken in; where there is a store, it is durable then. */
  async submit(input: AgentInput): Promise<void> {
    // A run that cannot start takes nothing in; its outcome says why.
    if (!(await this.#started)) return;
    if (this.#isClosed) {
      throw new TurnkeepError("FAILED_PRECONDITION", "The connection is closed.", {
        reason: "RUN_OVER",
      });
    }
    this.#inputs.push(await this.keeper.submit(input));
  }

  /** Hands over inputs that were taken in elsewhere. */
  resume(inputs: readonly SubmittedInput[]): void {
    for (const submitted of inputs) this.#inputs.push(submitted);
  }

  closeInputs(): void {
    this.#isClosed = true;
    this.#inputs.close();
  }

  async #load(): Promise<SessionContent> {
    const content = await this.keeper.start();
    await checkCustom(this.#options.schema, content.custom, "state.custom");
    return content;
  }

  async #execute(content: Promise<SessionContent>): Promise<RunOutcome> {
    const session = this.#createSession(EMPTY_CONTENT);
    try {
      session.restore(await content);
      const tools = this.#tools(session);
      const result = await withCurrentSession(session, () => this.#options.work(tools));
      return await this.#settle(session, result ?? session.result());
    } catch (error) {
      this.#failure ??= { error };
      return await this.#settle(session, {});
    } finally {
      this.closeInputs();
    }
  }

  async #settle(session: RunSession<Custom>, result: AgentResult): Promise<RunOutcome> {
    const failure = this.#failure?.error;
    const isFailed = this.#failure !== undefined;
    const error = isFailed ? toRuntimeError(failure) : undefined;
    const finishReason = isFailed
      ? failureReason(failure)
      : (result.finishReason ?? this.#lastReason);
    const ending: TurnEnding = {
      content: session.content,
      status: finishReason === "failed" ? "failed" : "completed",
      ...(finishReason !== undefined && { finishReason }),
      ...(error && { error }),
    };
    const closed =
      finishReason === "aborted" ? await this.keeper.release() : await this.keeper.close(ending);
    const snapshotId =
      (closed?.kind === "kept" ? closed.snapshotId : undefined) ?? this.#lastSnapshotId;
    return {
      content: session.content,
      ...(snapshotId !== undefined && { snapshotId }),
      ...(!isFailed && result.message && { message: result.message }),
      ...(!isFailed && result.artifacts && { artifacts: result.artifacts }),
      ...(finishReason !== undefined && { finishReason }),
      ...(error && finishReason !== "aborted" && { error }),
    };
  }

  #createSession(content: SessionContent): RunSession<Custom> {
    const session = new Session<Custom>(this.keeper.sessionId, content, {
      customChanged: (custom) => {
        const customPatch = this.#patches.next(custom);
        if (customPatch.length > 0) this.keeper.emit({ customPatch });
      },
      artifactAdded: (artifact) => this.keeper.emit({ artifact }),
    });
    return Object.assign(session, {
      run: (handler: TurnHandler) => this.#loop(session, handler),
      result: (): AgentResult => resultOf(session),
    });
  }

  #tools(session: RunSession<Custom>): AgentTools<Custom, never> {
    const { context, init, signal } = this.#options;
    return { session, respond: this.#responder(session), signal, context, init };
  }

  #responder(session: Session<Custom>): Responder<Json> {
    const { emit } = this.keeper;
    return {
      modelChunk: (modelChunk) => emit({ modelChunk }),
      text: (text) => emit({ modelChunk: { content: [{ text }] } }),
      artifact: (artifact) => session.addArtifacts(artifact),
      status: (status) => emit({ status }),
      chunk: (chunk) => emit(chunk),
    };
  }

  async #loop(session: Session<Custom>, handler: TurnHandler): Promise<void> {
    for (;;) {
      const { done, value: submitted } = await this.#inputs.next();
      if (done) return;
      this.#checkTurns();
      await this.#takeTurn(session, submitted, handler);
    }
  }

  async #takeTurn(
    session: Session<Custom>,
    submitted: SubmittedInput,
    handler: TurnHandler,
  ): Promise<void> {
    const begun = await this.keeper.begin(submitted);
    session.restore(begun.content);
    const { message } = submitted.input;
    if (message) session.addMessages(message);
    this.#patches.startTurn();
    let kept = session.content;
    const turn = this.#turnContext(begun, () => (kept = session.content));
    try {
      const result = await this.#handle(submitted.input, turn, handler);
      await this.#checkState(session);
      await this.#endTurn({ content: session.content, status: "completed", ...result });
    } catch (error) {
      await this.#endBadly(session, { error, kept, signal: begun.signal });
      throw error;
    }
  }

  async #handle(input: AgentInput, turn: TurnContext, handler: TurnHandler): Promise<TurnResult> {
    // To detach without saying anything is no turn of the agent's.
    if (input.detach && !input.message && !input.resume) return {};
    const { limits, ports } = this.#options;
    const work = async (): Promise<TurnResult | void> => await handler(input, turn);
    const result = await withinTime(work, {
      signal: turn.signal,
      timeoutMs: limits.turnMs,
      timers: ports.timers,
    });
    return result?.finishReason === undefined ? {} : { finishReason: result.finishReason };
  }

  async #endTurn(ending: TurnEnding): Promise<void> {
    const ended = await this.keeper.end(ending);
    if (ended.kind === "stopped") throw turnAborted();
    if (ended.kind === "fenced") throw turnTaken();
    if (ended.kind === "kept" && ended.snapshotId !== undefined) {
      this.#lastSnapshotId = ended.snapshotId;
    }
    this.#lastReason = ending.finishReason;
    this.#turnIndex += 1;
  }

  async #endBadly(session: Session<Custom>, { error, kept, signal }: BadEnd): Promise<void> {
    const cause = signal.aborted ? abortReason(signal) : error;
    this.#failure = { error: cause };
    const finishReason = failureReason(cause);
    // Whoever stopped the turn, or took it over, has written its end.
    if (finishReason === "aborted" || isTaken(cause)) return;
    session.restore(kept);
    const status = finishReason === "interrupted" ? "completed" : "failed";
    await this.#endTurn({ content: kept, status, finishReason, error: toRuntimeError(cause) });
  }

  #turnContext(
    { snapshotId, parentSnapshotId, attempt, signal }: BegunTurn,
    keep: () => void,
  ): TurnContext {
    return {
      ...(snapshotId !== undefined && { snapshotId }),
      ...(parentSnapshotId !== undefined && { parentSnapshotId }),
      turnIndex: this.#turnIndex,
      attempt,
      signal: AbortSignal.any([signal, this.#options.signal]),
      keep,
      step: async (step, work) => (await this.keeper.step({ ...step, signal }, work)) as never,
    };
  }

  #checkTurns(): void {
    const { turnsPerRun } = this.#options.limits;
    if (this.#turnIndex >= turnsPerRun) throw tooManyTurns(turnsPerRun);
  }

  async #checkState(session: Session<Custom>): Promise<void> {
    await checkCustom(this.#options.schema, session.content.custom, "state.custom");
  }
}

/** How a turn ended that did not end well, and what is kept of it. */
interface BadEnd {
  readonly error: unknown;
  readonly kept: SessionContent;
  readonly signal: AbortSignal;
}

function resultOf(session: {
  readonly messages: () => readonly Message[];
  readonly artifacts: () => readonly Artifact[];
}): AgentResult {
  const message = session.messages().at(-1);
  const artifacts = session.artifacts();
  return { ...(message && { message }), ...(artifacts.length > 0 && { artifacts }) };
}

function failureReason(error: unknown): AgentFinishReason {
  if (!TurnkeepError.is(error)) return "failed";
  if (error.reason === "RUN_ABORTED") return "aborted";
  return error.reason === "UNKNOWN_TOOL_OUTCOME" ? "interrupted" : "failed";
}

// A caller's own signal may abort with any reason; to the run they all mean the same.
function abortReason({ reason }: AbortSignal): unknown {
  return isTaken(reason) ? reason : turnAborted();
}

function isTaken(error: unknown): boolean {
  return TurnkeepError.is(error) && error.reason === "TURN_TAKEN";
}

function tooManyTurns(limit: number): TurnkeepError {
  return new TurnkeepError("RESOURCE_EXHAUSTED", `The run has used up its ${limit} turns.`, {
    reason: "LIMIT_EXCEEDED",
    details: { limit },
  });
}
