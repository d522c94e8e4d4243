import {
  type AdvanceAnswer,
  chunkEvent,
  type Claim,
  EMPTY_CONTENT,
  type FinishAnswer,
  HeldEvent,
  type Ledger,
  type LinkedSession,
  type NumberedEvent,
  type ReleaseKind,
  type RunEvent,
  type SeenSession,
  type SessionContent,
  type SessionKey,
  startedEvent,
  type TurnOutcome,
  type Work,
} from "../ledger/index.ts";
import { type Json, TurnkeepError } from "../protocol/index.ts";
import { claimAnswer } from "./claim-answer.ts";
import { EventWriter, type UnwrittenEvents } from "./event-writer.ts";
import { toPublicId } from "./public-id.ts";
import type { BegunTurn, TurnEnding } from "./run-keeper.ts";
import type { Saved } from "./stored-run-options.ts";
import { type JournaledStep, type StepWork, ToolSteps } from "./tool-steps.ts";
import { TurnLease, turnTaken } from "./turn-lease.ts";

export interface OpenTurnOptions {
  readonly ledger: Ledger;
  readonly key: SessionKey;
  readonly claim: Claim;
  /** What its run saw last of the session. */
  readonly seen: SeenSession;
  readonly leaseMs: number;
  readonly stepsPerTurn: number;
  /** Told events once they are durable, in order. */
  readonly publish: (events: readonly NumberedEvent[]) => void;
}

export interface FinishOptions {
  readonly saved: Saved;
  readonly endsRun: boolean;
}

/** A turn that this process has claimed, from the claim to its end: kept alive, written to, finished or let go. */
export class OpenTurn {
  isDetached: boolean;
  readonly #options: OpenTurnOptions;
  readonly #lease: TurnLease;
  readonly #writer: EventWriter;
  #claim: Claim;
  #steps: ToolSteps;
  #work: Work | undefined;
  #start: SessionContent | undefined;
  /** The number of the input behind its last; a detached turn may be given more. */
  #end: number;

  constructor(options: OpenTurnOptions) {
    const { ledger, key, claim, seen, leaseMs, publish } = options;
    this.#options = options;
    this.#claim = claim;
    this.#end = claim.turn + claim.inputs;
    this.isDetached = claim.detached;
    this.#lease = new TurnLease({
      ledger,
      key,
      claim,
      seen,
      leaseMs,
      extended: ({ turn, inputs, detached }) => this.extend(turn + inputs, detached),
    });
    this.#writer = new EventWriter({ ledger, key, claim, publish, lease: this.#lease });
    this.#steps = this.#newSteps();
  }

  get claim(): Claim {
    return this.#claim;
  }

  /** How many inputs of its run it has left. */
  get inputs(): number {
    return this.#end - this.#claim.turn;
  }

  /** Whether the input is one of those that it has left. */
  has(number: number): boolean {
    return number >= this.#claim.turn && number < this.#end;
  }

  /** The content that the turn started from, once it is loaded. */
  get start(): SessionContent {
    if (this.#work) this.#start ??= this.#work.start?.content ?? EMPTY_CONTENT;
    return this.#start ?? EMPTY_CONTENT;
  }

  /** What it starts from, if that needs no store. */
  recall(): Work | undefined {
    const { ledger, key } = this.#options;
    this.#work ??= ledger.recallWork(key, this.#claim);
    return this.#work;
  }

  async load(): Promise<Work> {
    const { ledger, key } = this.#options;
    this.#work ??= await this.#lease.insist(() => ledger.work(key, this.#claim, { input: null }));
    return this.#work;
  }

  /** The turn as its handler will know it, starting from this content. It is told no id where no snapshot will have it. */
  begun(content: SessionContent, isSaved: boolean): BegunTurn {
    const { snapshotId, parentId, attempt } = this.claim;
    const { sessionId } = this.#options.key;
    return {
      content,
      snapshotId: isSaved ? toPublicId({ sessionId, id: snapshotId }) : undefined,
      parentSnapshotId:
        parentId === undefined ? undefined : toPublicId({ sessionId, id: parentId }),
      attempt,
      stop: this.#lease.lost,
    };
  }

  /** It was detached, or given inputs up to this number. */
  extend(end: number, isDetached: boolean): void {
    this.#end = Math.max(this.#end, end);
    this.isDetached ||= isDetached;
  }

  write(event: RunEvent): void {
    this.#writer.write(JSON.stringify(event));
  }

  /** Writes what the turn starts from. What earlier inputs of the turn led to is in no snapshot yet. */
  writeStart(content: SessionContent): void {
    const { turn, progress } = this.#claim;
    this.write(startedEvent(turn, content, progress ? undefined : this.#work?.start));
  }

  /** Writes the event of a chunk, given as JSON. */
  say(chunkJson: string): void {
    this.#writer.write(chunkEvent(chunkJson));
  }

  async step(step: JournaledStep, work: StepWork): Promise<Json> {
    return await this.#steps.run(step, work);
  }

  /**
   * The turn answers what its start waits for: its steps are named after that. What no snapshot holds cannot be answered elsewhere.
   *
   * @throws TurnkeepError FAILED_PRECONDITION when another turn has answered.
   */
  async answer(content: SessionContent, again: boolean): Promise<string | undefined> {
    const { ledger, key } = this.#options;
    const { parentId, snapshotId, progress } = this.#claim;
    const isStored = this.#work?.start?.content.messages.length === content.messages.length;
    if (parentId === undefined || progress || !isStored) return undefined;
    const answering = { parentId, snapshotId, again };
    const questionId = await this.#lease.insist(() => claimAnswer(ledger, key, answering));
    this.#steps.questionId = questionId;
    return questionId;
  }

  /**
   * Saves what the turn has come to.
   *
   * @throws TurnkeepError RESOURCE_EXHAUSTED when it has saved too many already.
   */
  async saveRound(content: SessionContent): Promise<string> {
    const { ledger, key, seen } = this.#options;
    const work = this.recall() ?? (await this.load());
    const snapshotId = ledger.ports.ids.next();
    const round = { snapshotId, content, seen };
    const answer = await this.#lease.insist(() => ledger.saveRound(key, work, round));
    if (answer.kind === "too-many") throw tooManyRounds(answer.limit);
    if (answer.kind === "fenced") return await this.#lost();
    this.#work = { ...work, saved: { snapshot: answer.snapshot, content } };
    return snapshotId;
  }

  // Another worker has the turn, or it was aborted.
  async #lost(): Promise<never> {
    await this.#lease.check();
    throw this.#lease.lost.reason ?? turnTaken();
  }

  /** @throws TurnkeepError RESOURCE_EXHAUSTED when too many belong to the session already. */
  async link(linked: LinkedSession): Promise<void> {
    const { ledger, key } = this.#options;
    const answer = await this.#lease.insist(() => ledger.link(key, this.#claim, linked));
    if (answer.kind === "linked") return;
    if (answer.kind === "too-many") throw tooManyLinks(key.sessionId, answer.limit);
    await this.#lost();
  }

  /** Ends the input it is at and goes on to the next, in one commit. */
  async advance(ending: TurnEnding, isSaved: boolean): Promise<AdvanceAnswer> {
    const { ledger, key } = this.#options;
    const work = this.recall() ?? (await this.load());
    const taken = this.#writer.takeRest();
    const rest = taken instanceof Promise ? await taken : taken;
    const { status, finishReason, error } = ending;
    const { events, nextSeq } = rest;
    const content = isSaved ? ending.content : null;
    const outcome = { status, finishReason, error, events, nextSeq, content };
    const advanced = await this.#lease.insist(() => ledger.advance(key, work, outcome));
    const { answer } = advanced;
    if (answer.kind !== "advanced") {
      this.#lease.end();
      return answer;
    }
    this.#publish(rest, ending, undefined);
    this.#start = this.start;
    this.#work = advanced.work;
    this.#claim = answer.claim;
    this.#steps = this.#newSteps();
    this.#writer.continueAt(answer.claim.nextSeq);
    return answer;
  }

  /** Ends the turn, with what was not written yet, in one commit. A turn that was detached meanwhile goes on. */
  async finish(ending: TurnEnding, { saved, endsRun }: FinishOptions): Promise<FinishAnswer> {
    const { ledger, key, seen } = this.#options;
    const work = this.recall() ?? (await this.load());
    const taken = this.#writer.takeRest();
    const rest = taken instanceof Promise ? await taken : taken;
    const { inputs } = this;
    const outcome: TurnOutcome = {
      status: ending.status,
      content: saved === "nothing" ? null : ending.content,
      finishReason: ending.finishReason,
      error: ending.error,
      usage: ending.usage,
      input: ending.input,
      events: rest.events,
      nextSeq: rest.nextSeq,
      endsRun,
      savesRun: saved === "run",
      inputs,
      seen,
    };
    this.#lease.isEnding = true;
    const finished = await this.#lease.insist(() => ledger.finish(key, work, outcome));
    if (finished.kind === "extended") {
      this.#lease.isEnding = false;
      this.extend(this.#claim.turn + finished.inputs, finished.detached);
      this.#writer.reopen();
      return finished;
    }
    this.#lease.end();
    if (finished.kind === "committed" || finished.kind === "unsaved") {
      const isNamed = finished.kind === "committed" && finished.snapshot.turn !== undefined;
      this.#publish(rest, ending, isNamed ? this.#claim.snapshotId : undefined);
    }
    return finished;
  }

  /** Ends the turn and its run. What was given to it at the last moment nobody will work on: the agent is done. */
  async finishLast(ending: TurnEnding, saved: Saved): Promise<FinishAnswer> {
    const options = { saved, endsRun: true };
    try {
      const finished = await this.finish(ending, options);
      return finished.kind === "extended" ? await this.finish(ending, options) : finished;
    } catch (error) {
      // It cannot be ended here. Without heartbeats others may try, as often as attempts allow.
      this.lose(error);
      throw error;
    }
  }

  lose(reason: unknown): void {
    this.#lease.lose(reason);
  }

  /** Lets go: of the slot when the turn was aborted, else of the turn, which then goes on elsewhere. */
  async release(how: ReleaseKind): Promise<void> {
    const { ledger, key } = this.#options;
    this.#lease.end();
    await ledger.release(key, this.#claim, how);
  }

  // Steps are told apart by the input they are for.
  #newSteps(): ToolSteps {
    const { ledger, key, stepsPerTurn: mostSteps } = this.#options;
    return new ToolSteps({ ledger, key, claim: this.#claim, lease: this.#lease, mostSteps });
  }

  // What the commit wrote, told to those who listen here.
  #publish(
    { events, nextSeq }: UnwrittenEvents,
    { status, finishReason, error }: TurnEnding,
    snapshotId: string | undefined,
  ): void {
    const { turn } = this.#claim;
    const event: RunEvent = { type: "turnEnd", turn, snapshotId, status, finishReason, error };
    const said = events.map((text, index) => new HeldEvent(nextSeq + index, text));
    this.#options.publish([...said, { seq: nextSeq + events.length, event }]);
  }
}

function tooManyRounds(limit: number): TurnkeepError {
  return new TurnkeepError(
    "RESOURCE_EXHAUSTED",
    `The turn has saved ${limit} snapshots, which is the most. It saves one more when it ends.`,
    { reason: "LIMIT_EXCEEDED", details: { limit } },
  );
}

function tooManyLinks(sessionId: string, limit: number): TurnkeepError {
  return new TurnkeepError(
    "RESOURCE_EXHAUSTED",
    `Session '${sessionId}' has ${limit} linked sessions, which is the most. Delete it, or link fewer.`,
    { reason: "LIMIT_EXCEEDED", details: { limit } },
  );
}
