import {
  chunkEvent,
  type Claim,
  type FinishAnswer,
  followRun,
  HeldEvent,
  type LinkedSession,
  type NumberedEvent,
  SeenSession,
  type SessionContent,
  startedEvent,
} from "../ledger/index.ts";
import { type AgentInput, type Json, type Resume, TurnkeepError } from "../protocol/index.ts";
import { acceptError } from "./accept-error.ts";
import { AcceptedInputs } from "./accepted-inputs.ts";
import { endWith } from "./end-with.ts";
import { isAnswerTo } from "./is-answer-to.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { OpenTurn } from "./open-turn.ts";
import { toPublicId } from "./public-id.ts";
import type {
  BegunTurn,
  EndedTurn,
  EventStream,
  RunKeeper,
  StartPoint,
  SubmittedInput,
  TurnEnding,
} from "./run-keeper.ts";
import { sendAway } from "./send-away.ts";
import { startPoint } from "./start-point.ts";
import {
  type Ended,
  type LastTurn,
  type StoredRunOptions,
  savedOf,
  submissionOf,
} from "./stored-run-options.ts";
import type { JournaledStep, StepWork } from "./tool-steps.ts";
import { tryWhileAway } from "./try-while-away.ts";
import { turnAborted, turnTaken } from "./turn-lease.ts";
import { waitForClaim } from "./wait-for-claim.ts";

/** A run of an agent with a store: every turn is one claim on the session and ends in one snapshot. */
export class StoredRun implements RunKeeper {
  readonly runId: string;
  readonly sessionId: string;
  readonly tenant: string;
  readonly #options: StoredRunOptions;
  readonly #accepted: AcceptedInputs;
  readonly #seen = new SeenSession();
  #listener: (events: readonly NumberedEvent[]) => void = () => {};
  readonly #submissions = new OneAtATime();
  #turn: OpenTurn | undefined;
  #last: LastTurn | undefined;
  /** How the input ended that an open turn has processed last. */
  #processed: TurnEnding | undefined;
  #hasSaved = false;
  #isOver = false;
  /** Somebody else has written the end of it, or will. */
  #isLost = false;
  /** Other processes go on with it, since this one shuts down. */
  #isHandedOver = false;
  /** Aborts when the turn that waits in the session's queue is left to other processes. */
  #waiting: AbortController | undefined;
  /** The snapshot of a turn that was accepted as a detached one. */
  #leftIn: string | undefined;
  /** The log of the run is closed. */
  #isEnded = false;

  constructor(options: StoredRunOptions) {
    this.#options = options;
    this.runId = options.runId;
    this.sessionId = options.key.sessionId;
    this.tenant = options.key.scope.tenant;
    const { adopted } = options;
    this.#accepted = new AcceptedInputs(adopted?.turn ?? 0);
    if (adopted) this.#accepted.add({ turn: adopted, open: this.#open(adopted) }, adopted.inputs);
  }

  subscribe(listener: (events: readonly NumberedEvent[]) => void): void {
    this.#listener = listener;
  }

  start(): Promise<StartPoint> {
    return startPoint(this.#options, this.#seen);
  }

  // One after the other: an input's number is its place in the run.
  submit(input: AgentInput): Promise<SubmittedInput> {
    return this.#submissions.run(() => this.#accept(input));
  }

  begin({ number }: SubmittedInput): Promise<BegunTurn> | BegunTurn {
    const current = this.#turn;
    if (current?.has(number)) return this.#goOn(current);
    const turn = this.#accepted.takeOpen(number);
    return turn?.recall() === undefined ? this.#beginLater(turn, number) : this.#begun(turn);
  }

  // What the input before it led to is durable before the next one begins.
  async #goOn(turn: OpenTurn): Promise<BegunTurn> {
    const ended = this.#processed;
    if (ended === undefined) throw new TurnkeepError("INTERNAL", "This input has begun already.");
    const { kind } = await turn.advance(ended, this.#options.snapshotEvents.length > 0);
    if (kind !== "advanced") {
      this.#turn = undefined;
      throw kind === "stopped" ? turnAborted() : turnTaken();
    }
    this.#processed = undefined;
    this.#accepted.unfinished -= 1;
    return this.#begin(turn, ended.content);
  }

  async #beginLater(open: OpenTurn | undefined, number: number): Promise<BegunTurn> {
    const turn = open ?? (await this.#waitFor(number));
    this.#turn = turn;
    await turn.load();
    return this.#begun(turn);
  }

  #begun(turn: OpenTurn): BegunTurn {
    this.#turn = turn;
    const { parentId } = turn.claim;
    const last = this.#last;
    if (last === undefined) return this.#begin(turn, turn.start);
    // State that no snapshot was wanted for goes on in memory, as long as nobody else moved the session on.
    const isAsLeft = parentId === last.base || (parentId ?? null) === last.head;
    if (isAsLeft) return this.#begin(turn, last.content);
    turn.write({ type: "moved", from: last.base ?? null, to: parentId ?? null });
    return this.#begin(turn, turn.start);
  }

  #begin(turn: OpenTurn, content: SessionContent): BegunTurn {
    const { snapshotEvents } = this.#options;
    const isSaved =
      snapshotEvents.includes("turnEnd") || (turn.isDetached && snapshotEvents.includes("runEnd"));
    return turn.begun(content, isSaved);
  }

  async answer(content: SessionContent, resume: Resume): Promise<string | undefined> {
    if (!isAnswerTo(content, resume)) return undefined;
    return await this.#turn?.answer(content, resume.again ?? false);
  }

  started(content: SessionContent): void {
    const { notesStarts, keepsChunks } = this.#options;
    if (!notesStarts) return;
    const turn = this.#turn;
    if (keepsChunks) turn?.writeStart(content);
    else this.#listener([{ seq: 0, event: startedEvent(turn?.claim.turn ?? 0, content) }]);
  }

  emit(chunkJson: string): void {
    if (this.#options.keepsChunks) this.#turn?.say(chunkJson);
    else this.#listener([new HeldEvent(0, chunkEvent(chunkJson))]);
  }

  async step(step: JournaledStep, work: StepWork): Promise<Json> {
    if (this.#turn === undefined) throw turnTaken();
    return await this.#turn.step(step, work);
  }

  get savesRounds(): boolean {
    return this.#options.snapshotEvents.includes("toolRound");
  }

  async saveRound(content: SessionContent, isAsked: boolean): Promise<string | undefined> {
    const turn = this.#turn;
    if (turn === undefined) throw turnTaken();
    const { snapshotEvents, wantsSnapshot } = this.#options;
    const previous = turn.start;
    const moment = { event: "toolRound", content, previous, turnIndex: turn.claim.turn } as const;
    const isWanted = isAsked ? snapshotEvents.length > 0 : await wantsSnapshot(moment);
    return isWanted ? this.#public(await turn.saveRound(content)) : undefined;
  }

  async link(linked: LinkedSession): Promise<void> {
    if (this.#turn === undefined) throw turnTaken();
    await this.#turn.link(linked);
  }

  end(ending: TurnEnding, isLast: boolean): Promise<EndedTurn> {
    const turn = this.#turn;
    if (turn === undefined) return Promise.resolve({ kind: "fenced" });
    return turn.isDetached
      ? Promise.resolve(this.#stayOpen(ending))
      : this.#finish(turn, ending, isLast ? "lastTurn" : "turn");
  }

  close(ending: TurnEnding): Promise<EndedTurn> | EndedTurn {
    this.#isOver = true;
    const isIdle = this.#accepted.isEmpty && this.#submissions.settled === undefined;
    const isAllSaved = this.#isEnded && this.#last?.saved === ending.content;
    return isIdle && isAllSaved ? this.#closed() : this.#closeRest(ending);
  }

  #closed(): EndedTurn {
    const { snapshotId } = this.#last ?? {};
    return {
      kind: "kept",
      ...(snapshotId !== undefined && { snapshotId: this.#public(snapshotId) }),
    };
  }

  async #closeRest(ending: TurnEnding): Promise<EndedTurn> {
    await this.#submissions.settled;
    if (this.#turn) return await this.#finish(this.#turn, this.#lastEnding(ending), "run");
    if (!this.#accepted.isEmpty) return await this.#endUnheard(ending);
    const last = this.#last;
    const hasRest = last !== undefined && ending.content !== last.saved;
    if (hasRest && (await this.#wantsRest(ending.content, last.saved)))
      return await this.#saveRest(ending, last);
    await this.#endRun();
    return this.#closed();
  }

  // All that was said is kept by now. A run that cannot be ended is swept as abandoned.
  async #endRun(): Promise<void> {
    const { ledger, key } = this.#options;
    if (this.#accepted.next === 0 || this.#isEnded) return;
    await tryWhileAway(() => ledger.endRun(key, this.runId), ledger.ports.timers);
    this.#isEnded = true;
  }

  /** Whether every input so far has come to its end. */
  get isIdle(): boolean {
    return this.#accepted.unfinished === 0;
  }

  /** Whether an input that nobody waits for goes to workers: the first does, where there are any. */
  get sendsAway(): boolean {
    return this.#options.dispatcher !== undefined && this.#accepted.next === 0;
  }

  /** Takes the first input in for a worker, and says which snapshot it will end in. The run is over here. */
  async sendAway(input: AgentInput): Promise<string> {
    return this.#public(await this.#submissions.run(() => sendAway(this.#options, input)));
  }

  /** Lets the run go on without anybody connected, and says which snapshot it will end in. */
  async detach(): Promise<string | undefined> {
    const { ledger, key } = this.#options;
    await this.#submissions.settled;
    const detached = await ledger.detach(key, this.runId);
    // A turn that left as it began may be over by now, which does not call it back.
    if (detached.kind === "idle") return this.#leftIn && this.#public(this.#leftIn);
    const { snapshotId } = detached.turn;
    const isBegun = this.#turn?.claim.snapshotId === snapshotId;
    const open = isBegun ? this.#turn : this.#accepted.findOpen(snapshotId);
    open?.extend(this.#accepted.next, true);
    return this.#public(snapshotId);
  }

  /** Whether it was not over before. */
  async abort(): Promise<boolean> {
    const { ledger, key } = this.#options;
    await this.#submissions.settled;
    return (await ledger.abort(key, { runId: this.runId })).kind !== "ended";
  }

  /** Tells the turn that runs here, or would next, that it was aborted. */
  stop(): void {
    (this.#turn ?? this.#accepted.nextOpen)?.lose(turnAborted());
  }

  abandon(): void {
    this.#isLost = true;
  }

  /** Whether it goes on, or went on, in another process, which writes its end. */
  get isElsewhere(): boolean {
    return this.#isLost && !this.#isHandedOver;
  }

  readOn(after: number, signal: AbortSignal): EventStream | undefined {
    if (!this.isElsewhere) return undefined;
    const { ledger, key } = this.#options;
    return readRun(followRun(ledger, key, { runId: this.runId, after, isKnown: true, signal }));
  }

  /** Tells the turn that runs here to go on elsewhere: it is let go as soon as its handler has come back. */
  handOver(): void {
    this.#isHandedOver = true;
    (this.#turn ?? this.#accepted.nextOpen)?.lose(turnTaken());
    this.#waiting?.abort(null);
  }

  /**
   * Stops working on the turn: after an abort the slot is let go, otherwise others may go on with the turn at once. A turn that is given up counts as an
   * attempt; one that is handed off because this process shuts down does not.
   */
  async release(): Promise<void> {
    const turn = this.#turn;
    this.#turn = undefined;
    this.#isOver = true;
    // A store that cannot be told finds out when the lease runs out.
    await turn?.release(this.#isHandedOver ? "handed-over" : "given-up").catch(() => {});
  }

  async #accept(input: AgentInput): Promise<SubmittedInput> {
    if (this.#isOver) throw acceptError({ kind: "run-over" }, this.sessionId);
    const { ledger, key } = this.#options;
    const number = this.#accepted.next;
    const submission = submissionOf(this.#options, input, {
      number,
      isBehindOwn: this.#accepted.unfinished > 0,
      parentId: this.#parentFor(number),
      seen: this.#seen,
    });
    const answer = await ledger.accept(key, submission);
    if (answer.kind !== "accepted") throw acceptError(answer, this.sessionId);
    const { turn, claim } = answer;
    const open = claim && this.#open(claim);
    this.#accepted.add({ turn, open });
    if (input.detach || claim?.detached) this.#leftIn = turn.snapshotId;
    // The hand-off came while the input was being committed.
    if (this.#isHandedOver) open?.lose(turnTaken());
    return { input, number, isClaimed: claim !== undefined };
  }

  // Until it has saved a turn, a run goes on at the snapshot that it was started at.
  #parentFor(number: number): string | undefined {
    const { first, snapshotEvents } = this.#options;
    const isThere = number === 0 || this.#last !== undefined || !snapshotEvents.includes("turnEnd");
    return isThere && !this.#hasSaved ? first?.parentId : undefined;
  }

  // The lease is kept from the claim on: the agent may be busy before it asks for its first input.
  #open(claim: Claim): OpenTurn {
    const publish = (events: readonly NumberedEvent[]): void => this.#listener(events);
    const { ledger, key, leaseMs, stepsPerTurn } = this.#options;
    const seen = this.#seen;
    return new OpenTurn({ ledger, key, claim, seen, leaseMs, stepsPerTurn, publish });
  }

  async #waitFor(number: number): Promise<OpenTurn> {
    const { ledger, key } = this.#options;
    const { turn } = this.#accepted.find(number) ?? {};
    if (turn === undefined) throw new TurnkeepError("INTERNAL", "This input was never taken in.");
    this.#waiting = new AbortController();
    if (this.#isHandedOver) this.#waiting.abort(null);
    const { signal } = this.#waiting;
    const open = this.#open(await waitForClaim(ledger, key, { turn, signal }));
    if (this.#isHandedOver) open.lose(turnTaken());
    this.#accepted.open(number, turn, open);
    return this.#accepted.takeOpen(number) ?? open;
  }

  async #finish(turn: OpenTurn, ending: TurnEnding, what: Ended): Promise<EndedTurn> {
    const { content } = ending;
    if (turn.recall() === undefined) await turn.load();
    const saving = ending.isRefused ? "nothing" : savedOf(this.#options, turn, { what, content });
    const saved = typeof saving === "string" ? saving : await saving;
    // Whoever let an agent's run go was told the snapshot that it ends in.
    const finished =
      what === "run"
        ? await turn.finishLast(ending, saved === "run" ? "turn" : saved)
        : await turn.finish(ending, { saved, endsRun: what === "lastTurn" });
    if (finished.kind === "extended") return this.#stayOpen(ending);
    this.#turn = undefined;
    this.#accepted.unfinished -= turn.inputs;
    if (finished.kind !== "committed" && finished.kind !== "unsaved") return finished;
    this.#isEnded ||= what !== "turn";
    this.#last = lastTurn(turn, finished, content);
    this.#hasSaved ||= finished.kind === "committed";
    return this.#closed();
  }

  // Nobody waits for a detached turn. What it ended as is written when its next input begins, or its run ends.
  #stayOpen(ending: TurnEnding): EndedTurn {
    this.#processed = ending;
    return { kind: "open" };
  }

  // The run's end tells how its last turn ended, but not what that used.
  #lastEnding(ending: TurnEnding): TurnEnding {
    const { usage, input, isRefused = false } = this.#processed ?? {};
    return { usage, input, isRefused, ...ending };
  }

  // The agent's function ended without having asked for all its inputs. If it failed, so did the next of them; the rest end aborted.
  async #endUnheard(ending: TurnEnding): Promise<EndedTurn> {
    const { ledger, key } = this.#options;
    const [next, ...others] = this.#accepted.takeAll();
    this.#isLost = true;
    if (ending.status === "failed" && next?.open) {
      await next.open.load();
      const content = next.open.start;
      const isAll = others.length === 0;
      const ended = await this.#finish(next.open, { ...ending, content }, isAll ? "run" : "turn");
      if (others.length > 0) await ledger.abort(key, { runId: this.runId });
      return ended;
    }
    await ledger.abort(key, { runId: this.runId });
    await next?.open?.release("given-up");
    return { kind: "stopped" };
  }

  // The agent changed the state after its last turn: one more snapshot holds it.
  async #saveRest(ending: TurnEnding, { base, head }: LastTurn): Promise<EndedTurn> {
    const { content, status, finishReason, error } = ending;
    const rest = { content, status, finishReason, error, parentId: base, head };
    const ended = await endWith(this.#options, rest);
    if (ended.kind === "moved") {
      await this.#endRun();
      return { kind: "moved" };
    }
    this.#isEnded = true;
    if (ended.kind !== "saved") return this.#closed();
    const { snapshotId } = ended.snapshot;
    this.#last = { snapshotId, base: snapshotId, head: snapshotId, saved: content, content };
    return this.#closed();
  }

  async #wantsRest(content: SessionContent, previous: SessionContent): Promise<boolean> {
    const turnIndex = Math.max(this.#accepted.next - 1, 0);
    return await this.#options.wantsSnapshot({ event: "runEnd", content, previous, turnIndex });
  }

  #public(id: string): string {
    return toPublicId({ sessionId: this.sessionId, id });
  }
}

// Those who are connected see the turns end; that the log does is for late readers.
async function* readRun(pages: ReturnType<typeof followRun>): EventStream {
  for await (const page of pages) yield page.flat().filter(({ type }) => type !== "runEnd");
}

function lastTurn(
  { claim, start }: OpenTurn,
  finished: Extract<FinishAnswer, { readonly kind: "committed" | "unsaved" }>,
  content: SessionContent,
): LastTurn {
  if (finished.kind === "unsaved") {
    const { head } = finished;
    return { snapshotId: undefined, base: claim.parentId, head, saved: start, content };
  }
  const { snapshotId } = finished.snapshot;
  return { snapshotId, base: snapshotId, head: snapshotId, saved: content, content };
}
