import {
  chunkEvent,
  type Claim,
  EMPTY_CONTENT,
  type FinishAnswer,
  HeldEvent,
  type Ledger,
  type LinkedSession,
  type NumberedEvent,
  type RunEvent,
  type SeenSession,
  type SessionContent,
  type SessionKey,
  type TurnOutcome,
  type Work,
} from "../ledger/index.ts";
import { type Json, TurnkeepError } from "../protocol/index.ts";
import { EventWriter, type UnwrittenEvents } from "./event-writer.ts";
import { toPublicId } from "./public-id.ts";
import type { BegunTurn, TurnEnding } from "./run-keeper.ts";
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

/** A turn that this process has claimed, from the claim to its end: kept alive, written to, finished or let go. */
export class OpenTurn {
  readonly claim: Claim;
  /** How many inputs of its run it processes; a detached turn may be given more. */
  inputs: number;
  isDetached: boolean;
  readonly #options: OpenTurnOptions;
  readonly #lease: TurnLease;
  readonly #writer: EventWriter;
  readonly #steps: ToolSteps;
  #work: Work | undefined;

  constructor(options: OpenTurnOptions) {
    const { ledger, key, claim, seen, leaseMs, stepsPerTurn, publish } = options;
    this.#options = options;
    this.claim = claim;
    this.inputs = claim.inputs;
    this.isDetached = claim.detached;
    this.#lease = new TurnLease({
      ledger,
      key,
      claim,
      seen,
      leaseMs,
      extended: ({ inputs, detached }) => this.extend(inputs, detached),
    });
    this.#writer = new EventWriter({ ledger, key, claim, publish, lease: this.#lease });
    this.#steps = new ToolSteps({
      ledger,
      key,
      claim,
      lease: this.#lease,
      mostSteps: stepsPerTurn,
    });
  }

  /** The content that the turn starts from, once it is loaded. */
  get start(): SessionContent {
    return this.#work?.start?.content ?? EMPTY_CONTENT;
  }

  /** What it starts from, if that needs no store. */
  recall(): Work | undefined {
    const { ledger, key, claim } = this.#options;
    this.#work ??= ledger.recallWork(key, claim);
    return this.#work;
  }

  async load(): Promise<Work> {
    const { ledger, key, claim } = this.#options;
    this.#work ??= await this.#lease.insist(() => ledger.work(key, claim, { input: null }));
    return this.#work;
  }

  /** The turn as its handler will know it, starting from this content. */
  begun(content: SessionContent): BegunTurn {
    const { snapshotId, parentId, attempt } = this.claim;
    const { sessionId } = this.#options.key;
    return {
      content,
      snapshotId: toPublicId({ sessionId, id: snapshotId }),
      parentSnapshotId:
        parentId === undefined ? undefined : toPublicId({ sessionId, id: parentId }),
      attempt,
      stop: this.#lease.lost,
    };
  }

  extend(inputs: number, isDetached: boolean): void {
    this.inputs = Math.max(this.inputs, inputs);
    this.isDetached ||= isDetached;
  }

  write(event: RunEvent): void {
    this.#writer.write(JSON.stringify(event));
  }

  /** Writes the event of a chunk, given as JSON. */
  say(chunkJson: string): void {
    this.#writer.write(chunkEvent(chunkJson));
  }

  async step(step: JournaledStep, work: StepWork): Promise<Json> {
    return await this.#steps.run(step, work);
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
    const { ledger, key, claim } = this.#options;
    const answer = await this.#lease.insist(() => ledger.link(key, claim, linked));
    if (answer.kind === "linked") return;
    if (answer.kind === "too-many") throw tooManyLinks(key.sessionId, answer.limit);
    await this.#lost();
  }

  /** Ends the turn, with what was not written yet, in one commit. A turn that was detached meanwhile goes on. */
  async finish(ending: TurnEnding, endsRun: boolean): Promise<FinishAnswer> {
    const { ledger, key, seen } = this.#options;
    const work = this.recall() ?? (await this.load());
    const taken = this.#writer.takeRest();
    const rest = taken instanceof Promise ? await taken : taken;
    const { inputs } = this;
    const outcome: TurnOutcome = {
      status: ending.status,
      content: ending.content,
      finishReason: ending.finishReason,
      error: ending.error,
      usage: ending.usage,
      input: ending.input,
      events: rest.events,
      nextSeq: rest.nextSeq,
      endsRun,
      inputs,
      seen,
    };
    this.#lease.isEnding = true;
    const finished = await this.#lease.insist(() => ledger.finish(key, work, outcome));
    if (finished.kind === "extended") {
      this.#lease.isEnding = false;
      this.extend(finished.inputs, finished.detached);
      this.#writer.reopen();
      return finished;
    }
    this.#lease.end();
    if (finished.kind === "committed") this.#publish(rest, ending);
    return finished;
  }

  /** Ends the turn and its run. What was given to it at the last moment nobody will work on: the agent is done. */
  async finishLast(ending: TurnEnding): Promise<FinishAnswer> {
    try {
      const finished = await this.finish(ending, true);
      return finished.kind === "extended" ? await this.finish(ending, true) : finished;
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
  async release(): Promise<void> {
    const { ledger, key, claim } = this.#options;
    this.#lease.end();
    await ledger.release(key, claim);
  }

  // What the commit wrote, told to those who listen here.
  #publish(
    { events, nextSeq }: UnwrittenEvents,
    { status, finishReason, error }: TurnEnding,
  ): void {
    const { turn, snapshotId } = this.claim;
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
