import type { Ports, SessionContent } from "../ledger/index.ts";
import {
  type AgentFinishReason,
  type AgentInit,
  type AgentInput,
  type AgentResult,
  type Artifact,
  type Json,
  type Message,
  onAbort,
  type RuntimeError,
  TurnkeepError,
} from "../protocol/index.ts";
import type { AgentFunction, AgentTools, RunSession } from "./agent-function.ts";
import type { AgentLimits } from "./agent-options.ts";
import type { CallContext } from "./call-context.ts";
import { checkedResult } from "./check-result.ts";
import { createResponder } from "./create-responder.ts";
import { withSession } from "./current-session.ts";
import { restNotSaved } from "./end-with.ts";
import { InputChannel } from "./input-channel.ts";
import { withSignal } from "./lazy-signal.ts";
import { LoopedSession } from "./looped-session.ts";
import { failureReason, isLost, isTaken, isUnknownOutcome, stopError } from "./run-failure.ts";
import { toPublicId } from "./public-id.ts";
import type { EndedTurn, RunKeeper, SubmittedInput } from "./run-keeper.ts";
import type { RunPlace } from "./run-place.ts";
import type { StateReader } from "./state-reader.ts";
import { StoredRun } from "./stored-run.ts";
import type { AgentTelemetry, SpanName, TraceNotes } from "./telemetry.ts";
import { toRuntimeError } from "./to-runtime-error.ts";
import type { TurnHost } from "./turn-host.ts";
import { turnAborted, turnTaken } from "./turn-lease.ts";
import { TurnLoop } from "./turn-loop.ts";

export interface AgentRunOptions<Custom> {
  readonly work: AgentFunction<Custom, never>;
  readonly state: StateReader<Custom>;
  readonly limits: AgentLimits;
  readonly ports: Ports;
  readonly telemetry: AgentTelemetry;
  readonly context: CallContext;
  readonly init: AgentInit<Custom>;
  /** Aborts when the caller stops the run. */
  readonly signal: AbortSignal;
  /** Told when it is known that the run is worked on here, or that it is not. */
  readonly place?: RunPlace;
  readonly telemetryLabels?: Readonly<Record<string, string>>;
}

/** How a run came out. */
export interface RunOutcome {
  /** Absent when the run could not start: nothing happened to the state then. */
  readonly content?: SessionContent;
  readonly snapshotId?: string;
  /** All that were saved, in order. */
  readonly snapshotIds?: readonly string[];
  readonly message?: Message;
  readonly artifacts?: readonly Artifact[];
  readonly finishReason?: AgentFinishReason;
  readonly error?: RuntimeError;
  /** What was thrown. */
  readonly cause?: unknown;
  /** Another process has gone on with it: its log says how it came out. */
  readonly isTaken?: true;
}

// A handler that heeds its signal is back by then.
const LETTING_GO_MS = 50;

function shuttingDown(): TurnkeepError {
  return new TurnkeepError(
    "UNAVAILABLE",
    "The agent is shutting down. Send the input again with the same request id, to any process that serves the agent.",
    { retryable: true },
  );
}

/** One run of an agent in this process: runs its function once and feeds it the inputs as they come. */
export class AgentRun<Custom> implements TurnHost {
  readonly keeper: RunKeeper;
  /** Whoever starts a run handles its failure. */
  readonly outcome: Promise<RunOutcome>;
  /** Absent when nothing is recorded. */
  span: SpanName | undefined;
  /** Called when the run must stop: somebody else has ended it, or works on it. */
  onLost: () => void = () => {};
  readonly #options: AgentRunOptions<Custom>;
  readonly #inputs = new InputChannel<SubmittedInput>();
  readonly #loop: TurnLoop<Custom>;
  readonly #content: Promise<SessionContent>;
  #isClosed = false;
  /** The agent is being closed: inputs that are not being committed yet are refused. */
  #isShuttingDown = false;
  /** Inputs whose commit is in flight. */
  #committing = 0;
  #isStarted = false;
  #checked: Json | undefined;
  #initialState: Promise<Json | undefined> | undefined;
  #stop: AbortController | undefined;
  #stopped: { readonly reason: unknown } | undefined;
  /** An input was handed to the keeper. */
  #isUsed = false;
  #hasFailed = false;
  /** Ends the wait for a function that has not asked for its input. */
  #late: ((error: unknown) => void) | undefined;

  constructor(keeper: RunKeeper, options: AgentRunOptions<Custom>) {
    this.keeper = keeper;
    this.#options = options;
    const { limits, ports, telemetry, context } = options;
    this.#loop = new TurnLoop<Custom>({
      limits,
      ports,
      telemetry,
      keeper,
      inputs: this.#inputs,
      host: this,
      context,
    });
    this.#content = this.#load();
    const { sessionId } = keeper;
    const { telemetryLabels: labels } = options;
    const runId = toPublicId({ sessionId, id: keeper.runId });
    const traced = { sessionId, runId, ...(labels && { labels }) };
    this.outcome = telemetry.traceRun(traced, (notes) => {
      this.span = notes.span;
      return this.#execute(notes);
    });
  }

  /** Resolves when the input is taken in; where there is a store, it is durable then. */
  async submit(input: AgentInput): Promise<void> {
    this.throwIfAborted();
    try {
      await this.#content;
    } catch {
      // A run that cannot start takes nothing in; its outcome says why.
      return;
    }
    // Until an input is taken in there is nothing that an abort could end.
    this.throwIfAborted();
    if (this.#isShuttingDown) throw shuttingDown();
    if (this.#isClosed) {
      // Nor does one that failed before its first input.
      if (this.#hasFailed && !this.#isUsed) return;
      throw new TurnkeepError("FAILED_PRECONDITION", "The connection is closed.", {
        reason: "RUN_OVER",
      });
    }
    this.#isUsed = true;
    this.#committing += 1;
    try {
      const submitted = await this.keeper.submit(input);
      // An input that was committed is accepted, even if the run has stopped meanwhile: the outcome of the run tells what became of it.
      if (!this.#isClosed && !this.#stopped) this.#push(submitted);
      this.#options.place?.settle("here");
    } finally {
      this.#committing -= 1;
      if (this.#isShuttingDown) this.#closeWhenCommitted();
    }
  }

  /** Accepts no more inputs, because the process shuts down. An input whose commit is in flight still becomes a turn. */
  shutDown(): void {
    this.#isShuttingDown = true;
    this.#closeWhenCommitted();
  }

  #closeWhenCommitted(): void {
    if (this.#committing === 0) this.closeInputs();
  }

  /** @throws the reason of the caller's signal when it has aborted. */
  throwIfAborted(): void {
    this.#options.signal.throwIfAborted();
  }

  /** Nothing of this run is worked on here: its input was sent to a worker. */
  leave(): void {
    this.#options.place?.settle("elsewhere");
    this.closeInputs();
  }

  /** Whether the run could start; its outcome says why not. */
  get started(): Promise<boolean> {
    return this.#content.then(
      () => true,
      () => false,
    );
  }

  /** Hands over inputs that were taken in elsewhere. */
  resume(inputs: readonly SubmittedInput[]): void {
    for (const submitted of inputs) this.#push(submitted);
  }

  #push(submitted: SubmittedInput): void {
    if (submitted.isClaimed && !this.#inputs.isAwaited) this.#loop.startTime(this.#giveUp);
    this.#inputs.push(submitted);
  }

  // Nobody asked for the turn in time. The function is told by its signal and not waited for.
  readonly #giveUp = (error: unknown): void => {
    this.#stop?.abort(error);
    this.#late?.(error);
  };

  closeInputs(): void {
    this.#isClosed = true;
    this.#inputs.close();
    this.#options.place?.settle("here");
  }

  #load(): Promise<SessionContent> {
    return this.keeper
      .start()
      .then(({ content, snapshotId }) =>
        this.needsCheck(content) ? this.check(content, snapshotId) : content,
      );
  }

  /** What was checked is not checked again as long as it stays the same. */
  needsCheck(content: SessionContent): boolean {
    const { state } = this.#options;
    const isSame = content.custom === this.#checked && !state.isUnset(content);
    return !isSame || !state.isCurrent(content);
  }

  async check(content: SessionContent, snapshotId?: string): Promise<SessionContent> {
    if (!this.needsCheck(content)) return content;
    const { state } = this.#options;
    const { sessionId } = this.keeper;
    const read = state.isUnset(content)
      ? state.withCustom(content, await this.#initial())
      : await state.read(content, { sessionId, snapshotId });
    this.#checked = read.custom;
    return read;
  }

  // Made once: what the agent's function was shown is what the first turn begins with.
  #initial(): Promise<Json | undefined> {
    this.#initialState ??= this.#options.state.makeInitial();
    return this.#initialState;
  }

  /** The run was aborted, whether or not a turn of it runs. */
  abort(): void {
    if (this.keeper instanceof StoredRun) this.keeper.stop();
    this.stopped(turnAborted());
  }

  /** A turn was aborted, or is another worker's: nothing more is taken in. */
  stopped(reason: unknown): void {
    if (this.#stopped) return;
    this.#stopped = { reason };
    this.keeper.abandon();
    this.closeInputs();
    this.#stop?.abort(reason);
    this.onLost();
  }

  async #execute(notes: TraceNotes): Promise<RunOutcome> {
    const session = new LoopedSession<Custom>(this.keeper.sessionId, this.#loop, this.#inputs);
    try {
      this.#loop.start(session, await this.#content);
      this.#isStarted = true;
      const working = this.#start(session);
      // Most functions ask for their first input at once.
      const result = await (this.#inputs.isAwaited ? working : this.#orLate(working));
      if (this.needsCheck(session.content)) await this.check(session.content);
      const settling = this.#settle(session.content, result ?? session.result());
      return this.#noted(notes, settling instanceof Promise ? await settling : settling);
    } catch (error) {
      this.#hasFailed = true;
      const cause = this.#loop.failure?.error ?? error;
      return this.#noted(notes, await this.#fail(this.#loop.settled, cause), cause);
    } finally {
      this.#loop.stopTime();
      this.closeInputs();
    }
  }

  #noted(notes: TraceNotes, outcome: RunOutcome, cause = this.#loop.failure?.error): RunOutcome {
    const { finishReason, snapshotId } = outcome;
    const isBad = finishReason === "failed" || finishReason === "aborted";
    notes.setSnapshotId(snapshotId);
    notes.setEnd(isBad ? finishReason : "completed", finishReason, cause);
    return outcome;
  }

  // The function need not be asynchronous.
  #start(session: LoopedSession<Custom>): Promise<AgentResult | void> | AgentResult | void {
    const tools = this.#tools(session);
    try {
      return withSession(session, () => this.#options.work(tools));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #orLate<Result>(working: Promise<Result> | Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#late = reject;
      Promise.resolve(working).then(resolve, reject);
    });
  }

  #settle(content: SessionContent, result: AgentResult): Promise<RunOutcome> | RunOutcome {
    const {
      message,
      artifacts,
      finishReason = this.#loop.lastReason,
    } = checkedResult(result, content);
    const failure = this.#loop.failure;
    // The function may swallow a turn's error; how the turn ended it cannot change.
    const isFixed = failure && (isLost(failure.error) || isUnknownOutcome(failure.error));
    if (isFixed) return this.#fail(content, failure.error);
    if (!failure && this.#stopped) return this.#fail(content, stopError(this.#stopped.reason));
    const reason = finishReason === undefined ? {} : { finishReason };
    const kept = (closed: EndedTurn): RunOutcome => ({
      content,
      ...this.#snapshotOf(closed),
      ...(message && { message }),
      ...(artifacts && { artifacts }),
      ...reason,
      ...(failure && { error: toRuntimeError(failure.error), cause: failure.error }),
      ...(closed.kind === "moved" && restNotSaved(this.keeper.sessionId)),
    });
    // The function never asked for an input that was taken in, or somebody else has ended the turn.
    const outcomeOf = (closed: EndedTurn): Promise<RunOutcome> | RunOutcome => {
      if (closed.kind === "stopped") return this.#fail(content, turnAborted());
      return closed.kind === "fenced" ? this.#fail(content, turnTaken()) : kept(closed);
    };
    const closing = this.keeper.close({ content, status: "completed", ...reason });
    return closing instanceof Promise ? closing.then(outcomeOf) : outcomeOf(closing);
  }

  async #fail(content: SessionContent, cause: unknown): Promise<RunOutcome> {
    const finishReason = failureReason(cause);
    if (finishReason === "aborted") {
      this.stopped(cause);
      await this.#letGo();
      return { content, ...this.#lastSnapshot(), finishReason };
    }
    const error = toRuntimeError(cause);
    if (isTaken(cause)) {
      this.stopped(cause);
      await this.#letGo();
      return { content, ...this.#lastSnapshot(), finishReason, error, isTaken: true };
    }
    const status = finishReason === "failed" ? "failed" : "completed";
    const closed = await this.keeper.close({ content, status, finishReason, error });
    const snapshot = this.#snapshotOf(closed);
    return { ...(this.#isStarted && { content }), ...snapshot, finishReason, error, cause };
  }

  // A handler that does not heed its signal may still use its tools: the next turn waits for it, at most for the rest of the lease.
  async #letGo(): Promise<void> {
    const { working } = this.#loop;
    if (working === undefined) return await this.keeper.release();
    const release = (): Promise<void> => this.keeper.release();
    const released = working.then(release, release);
    const over = new AbortController();
    const late = this.#options.ports.timers.sleep(LETTING_GO_MS, { signal: over.signal });
    await Promise.race([released, late.catch(() => {})]);
    over.abort(null);
  }

  #snapshotOf(closed: EndedTurn): Pick<RunOutcome, "snapshotId" | "snapshotIds"> {
    const snapshotId = closed.kind === "kept" ? closed.snapshotId : undefined;
    if (snapshotId === undefined || snapshotId === this.#loop.lastSnapshotId) {
      return this.#lastSnapshot();
    }
    return { snapshotId, snapshotIds: [...this.#loop.snapshotIds, snapshotId] };
  }

  #lastSnapshot(): Pick<RunOutcome, "snapshotId" | "snapshotIds"> {
    const { lastSnapshotId: snapshotId, snapshotIds } = this.#loop;
    if (snapshotIds.length === 0) return {};
    return snapshotId === undefined ? { snapshotIds } : { snapshotId, snapshotIds };
  }

  #tools(session: RunSession<Custom>): AgentTools<Custom, never> {
    const { context, init } = this.#options;
    const { tenant } = this.keeper;
    const respond = createResponder(session, this.#loop);
    return withSignal({ session, respond, context, tenant, init }, this);
  }

  /** Aborts when the run must stop. */
  get signal(): AbortSignal {
    if (this.#stop) return this.#stop.signal;
    const stop = new AbortController();
    this.#stop = stop;
    const { signal } = this.#options;
    if (this.#stopped) stop.abort(this.#stopped.reason);
    const forget = onAbort(signal, () => stop.abort(signal.reason));
    this.outcome.then(forget, forget);
    return stop.signal;
  }
}
