import { EMPTY_CONTENT, type Ports, type SessionContent, stateOf } from "../ledger/index.ts";
import {
  type AgentFinishReason,
  type AgentStreamChunk,
  type Artifact,
  type Json,
  jsonEqual,
  TurnkeepError,
} from "../protocol/index.ts";
import type { TurnContext, TurnHandler, TurnResult } from "./agent-function.ts";
import type { AgentLimits } from "./agent-options.ts";
import type { CallContext } from "./call-context.ts";
import { checkedTurn } from "./check-result.ts";
import { withTurn } from "./current-session.ts";
import { handled } from "./handled.ts";
import type { InputChannel } from "./input-channel.ts";
import { PatchTracker } from "./patch-tracker.ts";
import type { BegunTurn, EndedTurn, RunKeeper, SubmittedInput, TurnEnding } from "./run-keeper.ts";
import { failureReason, isLost, isRefused, isUnknownOutcome, stopError } from "./run-failure.ts";
import { RunningTurn } from "./running-turn.ts";
import type { Session, SessionListener } from "./session.ts";
import { type Stop, StopSwitch } from "./stop-switch.ts";
import type { AgentTelemetry, TraceNotes } from "./telemetry.ts";
import { toRuntimeError } from "./to-runtime-error.ts";
import { turnAborted, turnTaken } from "./turn-lease.ts";
import { takenIn } from "./taken-in.ts";
import type { TurnHost } from "./turn-host.ts";
import { RunningTime, withinTime } from "./within-time.ts";

export interface TurnLoopOptions {
  readonly keeper: RunKeeper;
  readonly inputs: InputChannel<SubmittedInput>;
  readonly limits: AgentLimits;
  readonly ports: Ports;
  readonly telemetry: AgentTelemetry;
  readonly host: TurnHost;
  readonly context: CallContext;
}

/** Takes a run's turns one after the other: begins each, lets the handler work, and ends it in one way or another. */
export class TurnLoop<Custom> implements SessionListener {
  readonly #options: TurnLoopOptions;
  #patches = new PatchTracker();
  #settled: SessionContent = EMPTY_CONTENT;
  #isOpen = false;
  #turnIndex = 0;
  #chunks = 0;
  #lastReason: AgentFinishReason | undefined;
  #lastSnapshotId: string | undefined;
  readonly #snapshotIds: string[] = [];
  /** That of the turn under way. */
  #reservedId: string | undefined;
  #failure: { readonly error: unknown } | undefined;
  #working: Promise<unknown> | undefined;
  /** A step of this turn began earlier, and nobody knows how it ended. */
  #unknown: { readonly error: unknown } | undefined;
  /** The time of a turn that nobody has asked for yet. */
  #time: RunningTime | undefined;

  constructor(options: TurnLoopOptions) {
    this.#options = options;
  }

  /** How the last turn ended. */
  get lastReason(): AgentFinishReason | undefined {
    return this.#lastReason;
  }

  get lastSnapshotId(): string | undefined {
    return this.#lastSnapshotId;
  }

  /** All that were saved, in order. */
  get snapshotIds(): readonly string[] {
    return this.#snapshotIds;
  }

  /** Why the last turn failed; gone when a later one did well. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Settles when the handler has come back; absent when none is at work. */
  get working(): Promise<unknown> | undefined {
    return this.#working;
  }

  /** The time for a turn runs from its claim, also if the agent's function is not there yet to ask for it. */
  startTime(late: (error: unknown) => void): void {
    const { limits, ports } = this.#options;
    this.#time ??= new RunningTime({ timeoutMs: limits.turnMs, timers: ports.timers }, late);
  }

  /** The run is over. */
  stopTime(): void {
    this.#time?.callOff();
    this.#time = undefined;
  }

  /** What the session held when it was loaded, or when its last turn ended. */
  get settled(): SessionContent {
    return this.#settled;
  }

  /** Starts from loaded content, whose custom state clients know. */
  start(session: Session<Custom>, content: SessionContent): void {
    session.restore(content);
    this.#settled = content;
    this.#patches = new PatchTracker(content.custom);
  }

  // What changes between turns is shown when the next one begins: only turns are streamed.
  customChanged(custom: Json | undefined): void {
    if (!this.#isOpen) return;
    const customPatch = this.#patches.next(custom);
    if (customPatch.length > 0) this.emit({ customPatch });
  }

  artifactAdded(artifact: Artifact): void {
    this.emit({ artifact });
  }

  emit(chunk: AgentStreamChunk): void {
    this.emitJson(JSON.stringify(chunk));
  }

  /** Streams a chunk that is JSON already. */
  emitJson(chunkJson: string): void {
    const { chunksPerTurn } = this.#options.limits;
    this.#chunks += 1;
    if (this.#chunks > chunksPerTurn) throw exhausted(`${chunksPerTurn} chunks of a turn`);
    this.#options.keeper.emit(chunkJson);
  }

  /** Calls the handler for each input until there are no more. Rejects with the error of a turn that failed. */
  async run(session: Session<Custom>, handler: TurnHandler): Promise<void> {
    const { inputs, limits } = this.#options;
    while (!inputs.isOver) {
      const { done, value: submitted } = await inputs.next();
      if (done) return;
      if (this.#turnIndex >= limits.turnsPerRun)
        throw exhausted(`${limits.turnsPerRun} turns of a run`);
      const traced = {
        sessionId: session.sessionId,
        number: this.#turnIndex + 1,
        input: () => submitted.input,
      };
      await this.#options.telemetry.traceTurn(traced, (notes) =>
        this.#takeTurn({ session, submitted, handler, notes }),
      );
    }
  }

  async #takeTurn({ session, submitted, handler, notes }: Turn<Custom>): Promise<void> {
    const time = this.#time;
    this.#time = undefined;
    time?.handTo(() => {});
    const beginning = this.#options.keeper.begin(submitted);
    this.#reservedId = undefined;
    const begun =
      beginning instanceof Promise
        ? await beginning.catch((error: unknown) => this.#notBegun(error, notes))
        : beginning;
    this.#reservedId = begun.snapshotId;
    let started = begun.content;
    let kept = started;
    const stop = new StopSwitch();
    const keep = (): void => {
      kept = session.content;
    };
    const forget = begun.stop.onStop((reason) => {
      stop.stop(reason);
      this.#options.host.stopped(reason);
    });
    try {
      const { host } = this.#options;
      const { content: found, parentSnapshotId } = begun;
      this.#place(
        session,
        host.needsCheck(found) ? await host.check(found, parentSnapshotId) : found,
      );
      const { resume } = submitted.input;
      const questionId = resume && (await this.#options.keeper.answer(session.content, resume));
      started = kept = takenIn(session, submitted.input);
      this.#options.keeper.started(kept);
      this.#open(kept);
      const turn = { session, begun, stop, keep, handler, time, questionId };
      const result = await this.#handle(submitted, turn);
      this.#working = undefined;
      const { content } = session;
      if (host.needsCheck(content)) await host.check(content);
      const { finishReason, usage } = result ? checkedTurn(result) : NOTHING_SAID;
      // A handler may make a question of it, but not pass over it.
      if (this.#unknown && finishReason !== "interrupted") throw this.#unknown.error;
      const input = untold(submitted);
      await this.#end({ content, status: "completed", finishReason, usage, input }, notes);
      this.#failure = undefined;
    } catch (error) {
      // Whatever the handler still does is in vain, as when it took too long.
      stop.stop(error);
      const before = begun.content;
      await this.#endBadly(session, {
        error,
        kept,
        started,
        before,
        stop: begun.stop,
        notes,
        submitted,
      });
      throw error;
    } finally {
      forget();
    }
  }

  /** A step failed. An unknown outcome is remembered, whatever the handler makes of it. */
  readonly stepFailed = (error: unknown): never => {
    if (isUnknownOutcome(error)) this.#unknown ??= { error };
    throw error;
  };

  #notBegun(error: unknown, notes: TraceNotes): never {
    if (this.#fail(error)) this.#noteLost(error, notes);
    throw error;
  }

  #noteLost(cause: unknown, notes: TraceNotes): void {
    const finishReason = failureReason(cause);
    notes.setSnapshotId(this.#reservedId);
    notes.setEnd(finishReason === "aborted" ? "aborted" : "failed", finishReason, cause);
  }

  // Whoever stopped the turn, or took it over, writes its end. Whether somebody did.
  #fail(error: unknown): boolean {
    this.#failure = { error };
    if (!isLost(error)) return false;
    this.#options.host.stopped(error);
    return true;
  }

  // What the agent changed since its last turn goes on into this one, unless somebody else moved the session on.
  #place(session: Session<Custom>, content: SessionContent): void {
    const isTouched = session.content !== this.#settled;
    if (isTouched && jsonEqual(stateOf(content), stateOf(this.#settled))) return;
    session.restore(content);
  }

  #open({ custom }: SessionContent): void {
    this.#isOpen = true;
    this.#chunks = 0;
    this.#unknown = undefined;
    this.#patches.startTurn();
    this.customChanged(custom);
  }

  #handle({ input }: SubmittedInput, turn: HandledTurn<Custom>): Promise<TurnResult | void> | void {
    // To detach without saying anything is no turn of the agent's.
    if (input.detach && !input.message && !input.resume) return undefined;
    const { limits, ports } = this.#options;
    const { session, stop, handler, time: running } = turn;
    const context = this.#turnContext(turn);
    const work = (): Promise<TurnResult | void> => {
      const working = withTurn(session, context, () => handled(handler, input, context));
      this.#working = working;
      return working;
    };
    const { timers } = ports;
    return withinTime(work, { stop, timeoutMs: limits.turnMs, timers, running });
  }

  #end(ending: TurnEnding, notes: TraceNotes): Promise<void> {
    this.#isOpen = false;
    const { keeper, inputs } = this.#options;
    return keeper.end(ending, inputs.isOver).then((ended) => this.#ended(ended, { ending, notes }));
  }

  #ended(
    ended: EndedTurn,
    { ending, notes }: Pick<BadEnd, "notes"> & { readonly ending: TurnEnding },
  ): void {
    if (ended.kind === "stopped" || ended.kind === "fenced") {
      const error = ended.kind === "stopped" ? turnAborted() : turnTaken();
      this.#fail(error);
      throw error;
    }
    if (ended.kind === "kept" && ended.snapshotId !== undefined) {
      this.#lastSnapshotId = ended.snapshotId;
      this.#snapshotIds.push(ended.snapshotId);
    }
    // A detached turn will end in the snapshot that was reserved for it.
    notes.setSnapshotId(ended.kind === "kept" ? ended.snapshotId : this.#reservedId);
    notes.setEnd(ending.status, ending.finishReason, this.#failure?.error);
    notes.setOutput(() => ({ state: stateOf(ending.content) }));
    this.#settled = ending.content;
    this.#lastReason = ending.finishReason;
    this.#turnIndex += 1;
  }

  async #endBadly(session: Session<Custom>, bad: BadEnd): Promise<void> {
    const { error, stop, notes } = bad;
    this.#isOpen = false;
    const cause = stop.isStopped ? stopError(stop.reason) : (this.#unknown?.error ?? error);
    if (this.#fail(cause)) return this.#noteLost(cause, notes);
    const finishReason = failureReason(cause);
    const refused = isRefused(cause) && { isRefused: true };
    const kept = refused ? bad.before : await this.#keepable(bad);
    session.restore(kept);
    const customPatch = this.#patches.next(kept.custom);
    // Past the limit on chunks, which may be what failed: clients must not be left with what was taken back.
    if (customPatch.length > 0) this.#options.keeper.emit(JSON.stringify({ customPatch }));
    const status = finishReason === "interrupted" ? "completed" : "failed";
    const input = untold(bad.submitted);
    const runtimeError = toRuntimeError(cause);
    const ending = {
      content: kept,
      status,
      finishReason,
      error: runtimeError,
      input,
      ...refused,
    } as const;
    await this.#end(ending, notes);
  }

  // A state that does not fit could never be loaded again.
  async #keepable({ kept, started }: BadEnd): Promise<SessionContent> {
    return await this.#options.host.check(kept).then(
      () => kept,
      () => started,
    );
  }

  #turnContext({ session, begun, stop, keep, questionId }: HandledTurn<Custom>): TurnContext {
    const { keeper, context } = this.#options;
    const turnIndex = this.#turnIndex;
    const own = { keeper, begun, turnIndex, context, stop, keep, session, loop: this };
    return new RunningTurn({ ...own, questionId });
  }

  /**
   * Saves what a running turn has come to. `isAsked`: the turn asks for it, and not the agent's policy. Then a state that does not fit its schema is refused;
   * otherwise none is saved, and the turn may still put it right.
   */
  async saveRound(content: SessionContent, isAsked: boolean): Promise<string | undefined> {
    const { host, keeper } = this.#options;
    if (host.needsCheck(content)) {
      const checked = host.check(content);
      const isFit = await (isAsked ? checked : checked.catch(() => undefined));
      if (isFit === undefined) return undefined;
    }
    const snapshotId = await keeper.saveRound(content, isAsked);
    if (snapshotId !== undefined) this.#snapshotIds.push(snapshotId);
    return snapshotId;
  }
}

const NOTHING_SAID: TurnResult = {};

interface Turn<Custom> {
  readonly session: Session<Custom>;
  readonly submitted: SubmittedInput;
  readonly handler: TurnHandler;
  readonly notes: TraceNotes;
}

interface HandledTurn<Custom> {
  readonly session: Session<Custom>;
  readonly begun: BegunTurn;
  readonly stop: StopSwitch;
  readonly keep: () => void;
  readonly handler: TurnHandler;
  /** Runs already where the turn had to wait for its handler. */
  readonly time: RunningTime | undefined;
  readonly questionId: string | undefined;
}

/** How a turn ended that did not end well, and what is kept of it. */
interface BadEnd {
  readonly error: unknown;
  readonly kept: SessionContent;
  readonly started: SessionContent;
  /** What the session held before the turn. */
  readonly before: SessionContent;
  readonly stop: Stop;
  readonly notes: TraceNotes;
  readonly submitted: SubmittedInput;
}

// An answer to an interrupt becomes no message of its own: who wants to give it again finds it with the snapshot.
function untold({ input }: SubmittedInput): Json | undefined {
  return input.resume ? (input as object as Json) : undefined;
}

function exhausted(what: string): TurnkeepError {
  return new TurnkeepError("RESOURCE_EXHAUSTED", `The ${what} are used up.`, {
    reason: "LIMIT_EXCEEDED",
  });
}
