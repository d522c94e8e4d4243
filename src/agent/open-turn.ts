import {
  chunkEvent,
  type Claim,
  EMPTY_CONTENT,
  type FinishAnswer,
  HeldEvent,
  type Ledger,
  type NumberedEvent,
  type RunEvent,
  type SeenSession,
  type SessionContent,
  type SessionKey,
  type TurnOutcome,
  type Work,
} from "../ledger/index.ts";
import type { Json } from "../protocol/index.ts";
import { EventWriter, type UnwrittenEvents } from "./event-writer.ts";
import { toPublicId } from "./public-id.ts";
import type { BegunTurn, TurnEnding } from "./run-keeper.ts";
import { type JournaledStep, type StepWork, ToolSteps } from "./tool-steps.ts";
import { TurnLease } from "./turn-lease.ts";

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
  /** Whether it leaves a snapshot. */
  readonly isSaved: boolean;
  readonly endsRun: boolean;
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

  /** Ends the turn, with what was not written yet, in one commit. A turn that was detached meanwhile goes on. */
  async finish(ending: TurnEnding, { isSaved, endsRun }: FinishOptions): Promise<FinishAnswer> {
    const { ledger, key, seen } = this.#options;
    const work = this.recall() ?? (await this.load());
    const taken = this.#writer.takeRest();
    const rest = taken instanceof Promise ? await taken : taken;
    const { inputs } = this;
    const outcome: TurnOutcome = {
      status: ending.status,
      content: isSaved ? ending.content : null,
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
    if (finished.kind === "committed" || finished.kind === "unsaved") {
      this.#publish(rest, ending, isSaved);
    }
    return finished;
  }

  /** Ends the turn and its run. What was given to it at the last moment nobody will work on: the agent is done. */
  async finishLast(ending: TurnEnding, isSaved: boolean): Promise<FinishAnswer> {
    const options = { isSaved, endsRun: true };
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
  async release(): Promise<void> {
    const { ledger, key, claim } = this.#options;
    this.#lease.end();
    await ledger.release(key, claim);
  }

  // What the commit wrote, told to those who listen here.
  #publish(
    { events, nextSeq }: UnwrittenEvents,
    { status, finishReason, error }: TurnEnding,
    isSaved: boolean,
  ): void {
    const { turn } = this.claim;
    const snapshotId = isSaved ? this.claim.snapshotId : undefined;
    const event: RunEvent = { type: "turnEnd", turn, snapshotId, status, finishReason, error };
    const said = events.map((text, index) => new HeldEvent(nextSeq + index, text));
    this.#options.publish([...said, { seq: nextSeq + events.length, event }]);
  }
}
