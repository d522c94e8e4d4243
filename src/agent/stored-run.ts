import {
  type AcceptAnswer,
  type BusyPolicy,
  type Claim,
  EMPTY_CONTENT,
  type Ledger,
  type NumberedEvent,
  type RunEvent,
  type SessionContent,
  type SessionKey,
  type TurnRef,
  type Work,
} from "../ledger/index.ts";
import {
  type AgentInput,
  type AgentStreamChunk,
  type Json,
  TurnkeepError,
} from "../protocol/index.ts";
import { acceptError } from "./accept-error.ts";
import { EventWriter } from "./event-writer.ts";
import { getContinuable } from "./get-continuable.ts";
import { toPublicId } from "./public-id.ts";
import type { BegunTurn, EndedTurn, RunKeeper, SubmittedInput, TurnEnding } from "./run-keeper.ts";
import { type JournaledStep, type StepWork, ToolSteps } from "./tool-steps.ts";
import { TurnLease, turnAborted, turnTaken } from "./turn-lease.ts";
import { waitForClaim } from "./wait-for-claim.ts";

export interface StoredRunOptions {
  readonly ledger: Ledger;
  /** Makes sure that the store is open. */
  readonly open: () => Promise<unknown>;
  readonly key: SessionKey;
  readonly runId: string;
  readonly leaseMs: number;
  readonly onBusy: BusyPolicy;
  /** The snapshot to start from; the head when absent. */
  readonly parentId?: string;
  readonly requestId?: string;
  readonly principal?: string;
  readonly expectedHead?: string | null;
  readonly keepsChunks: boolean;
  readonly stepsPerTurn: number;
  /** Whether the content of a turn, or of the run's end, is to be kept. */
  readonly wantsSnapshot: (moment: {
    readonly event: "turnEnd" | "runEnd";
    readonly content: SessionContent;
    readonly previous: SessionContent;
    readonly turnIndex: number;
  }) => boolean;
  /** A turn that this process claimed from another's run. */
  readonly adopted?: Claim;
}

interface OpenTurn {
  readonly work: Work;
  readonly writer: EventWriter;
  readonly lease: TurnLease;
  readonly steps: ToolSteps;
  /** Its inputs, numbered in their run, end here; a detached turn may be given more. */
  inputs: number;
  isDetached: boolean;
}

/** The last turn that ended: what was kept of it, and what the session holds. */
interface LastTurn {
  readonly snapshotId: string;
  readonly isKept: boolean;
  readonly kept: SessionContent;
  readonly content: SessionContent;
}

/** A run of an agent with a store: every turn is one claim on the session and ends in one snapshot. */
export class StoredRun implements RunKeeper {
  readonly runId: string;
  readonly sessionId: string;
  readonly #options: StoredRunOptions;
  readonly #accepted = new Map<number, { readonly turn: TurnRef; readonly claim?: Claim }>();
  #listener: (event: NumberedEvent) => void = () => {};
  #submitting: Promise<unknown> = Promise.resolve();
  #count = 0;
  #unfinished = 0;
  #turn: OpenTurn | undefined;
  /** What the session held when the last turn ended, and under which snapshot. */
  #last: LastTurn | undefined;
  #isOver = false;

  constructor(options: StoredRunOptions) {
    this.#options = options;
    this.runId = options.runId;
    this.sessionId = options.key.sessionId;
    const { adopted } = options;
    if (adopted) this.#adopt(adopted);
  }

  readonly subscribe = (listener: (event: NumberedEvent) => void): void => {
    this.#listener = listener;
  };

  readonly step = async (step: JournaledStep, work: StepWork): Promise<Json> => {
    if (this.#turn === undefined) throw turnTaken();
    return await this.#turn.steps.run(step, work);
  };

  readonly start = async (): Promise<SessionContent> => {
    const { ledger, key, open, adopted, parentId } = this.#options;
    await open();
    if (adopted) return (await ledger.work(key, adopted)).start?.content ?? EMPTY_CONTENT;
    if (parentId !== undefined) return (await getContinuable(ledger, key, parentId)).content;
    return (await ledger.snapshots.findHead(key))?.content ?? EMPTY_CONTENT;
  };

  readonly submit = (input: AgentInput): Promise<SubmittedInput> => {
    // One after the other: an input's number is its place in the run.
    const submitted = this.#submitting.then(() => this.#accept(input));
    this.#submitting = submitted.catch(() => {});
    return submitted;
  };

  readonly begin = async ({ number, input }: SubmittedInput): Promise<BegunTurn> => {
    const open = this.#turn;
    if (open && number < open.work.claim.turn + open.inputs)
      return this.#begun(open, this.#last?.content);
    const accepted = this.#accepted.get(number);
    if (accepted === undefined)
      throw new TurnkeepError("INTERNAL", "The input was never taken in.");
    this.#accepted.delete(number);
    const { ledger, key } = this.#options;
    const claim = accepted.claim ?? (await waitForClaim(ledger, key, accepted.turn));
    const work = await ledger.work(
      key,
      claim,
      claim.inputs > 1 ? undefined : { input: input as Json },
    );
    return this.#begun(this.#open(work), this.#carriedTo(work));
  };

  readonly emit = (chunk: AgentStreamChunk): void => {
    const event: RunEvent = { type: "chunk", chunk: chunk as Json };
    if (this.#options.keepsChunks) this.#turn?.writer.write(event);
    else this.#listener({ seq: 0, event });
  };

  readonly end = async (ending: TurnEnding): Promise<EndedTurn> => {
    const turn = this.#turn;
    if (turn === undefined) return { kind: "fenced" };
    if (turn.isDetached) {
      const { content } = ending;
      const { snapshotId } = turn.work.claim;
      this.#last = { snapshotId, isKept: false, kept: content, content };
      return { kind: "open" };
    }
    return await this.#finish(turn, ending, false);
  };

  readonly close = async (ending: TurnEnding): Promise<EndedTurn> => {
    this.#isOver = true;
    await this.#submitting;
    if (this.#turn) return await this.#finish(this.#turn, ending, true);
    const { ledger, key, runId } = this.#options;
    if (this.#accepted.size > 0) return await this.#endUnheard(ending);
    if (this.#last && this.#wants("runEnd", ending.content, this.#last.kept)) {
      return await this.#keepRest(ending);
    }
    if (this.#count > 0) await ledger.endRun(key, runId);
    return {
      kind: "kept",
      ...(this.#last?.isKept && { snapshotId: this.#public(this.#last.snapshotId) }),
    };
  };

  /** Lets the run go on without anybody connected, and says which snapshot it will end in. */
  async detach(): Promise<string | undefined> {
    const { ledger, key, runId } = this.#options;
    await this.#submitting;
    const detached = await ledger.detach(key, runId);
    if (detached.kind === "idle") return undefined;
    const { turn } = detached;
    if (this.#turn?.work.claim.snapshotId === turn.snapshotId) {
      this.#turn.isDetached = true;
      this.#turn.inputs = this.#count - turn.turn;
    }
    return this.#public(turn.snapshotId);
  }

  async abort(): Promise<void> {
    const { ledger, key, runId } = this.#options;
    await this.#submitting;
    await ledger.abort(key, { runId });
  }

  /** Tells the turn that runs here that it was aborted. */
  stop(): void {
    this.#turn?.lease.lose(turnAborted());
  }

  /** Stops working on the turn: after an abort the slot is let go, otherwise the turn is handed over. */
  readonly release = async (): Promise<void> => {
    const turn = this.#turn;
    this.#turn = undefined;
    this.#isOver = true;
    turn?.lease.end();
    if (turn) await this.#options.ledger.release(this.#options.key, turn.work.claim);
  };

  async #accept(input: AgentInput): Promise<SubmittedInput> {
    if (this.#isOver) throw acceptError({ kind: "run-over" }, this.sessionId);
    const { ledger, key, runId, leaseMs, onBusy, parentId, requestId, principal, expectedHead } =
      this.#options;
    const number = this.#count;
    const isBehindOwn = this.#unfinished > 0;
    const isFirst = number === 0;
    const answer: AcceptAnswer = await ledger.accept(key, {
      input: input as Json,
      run: { runId, turn: number },
      onBusy: isBehindOwn ? "queue" : onBusy,
      begin: !isBehindOwn,
      reservedMs: 2 * leaseMs,
      ...(input.detach && { detached: true }),
      ...(isFirst && parentId !== undefined && { parentId }),
      ...(isFirst && requestId !== undefined && { requestId }),
      ...(isFirst && expectedHead !== undefined && { expectedHead }),
      ...(principal !== undefined && { principal }),
    });
    if (answer.kind !== "accepted") throw acceptError(answer, this.sessionId);
    this.#accepted.set(number, answer);
    this.#count += 1;
    this.#unfinished += 1;
    return { input, number };
  }

  #adopt(claim: Claim): void {
    this.#accepted.set(claim.turn, { turn: claim, claim });
    this.#count = claim.turn + claim.inputs;
    this.#unfinished = claim.inputs;
  }

  #open(work: Work): OpenTurn {
    const { ledger, key, leaseMs } = this.#options;
    const { claim } = work;
    const lease = new TurnLease({
      ledger,
      key,
      claim,
      leaseMs,
      extended: ({ inputs, detached }) => {
        turn.inputs = Math.max(turn.inputs, inputs);
        turn.isDetached ||= detached;
      },
    });
    const publish = (event: NumberedEvent): void => this.#listener(event);
    const writer = new EventWriter({
      ledger,
      key,
      claim,
      publish,
      fenced: () => lease.lose(undefined),
    });
    const turn: OpenTurn = {
      work,
      writer,
      lease,
      steps: new ToolSteps({ ledger, key, claim, mostSteps: this.#options.stepsPerTurn }),
      inputs: claim.inputs,
      isDetached: claim.detached,
    };
    this.#turn = turn;
    if (this.#last && claim.parentId !== this.#last.snapshotId) {
      writer.write({ type: "moved", from: this.#last.snapshotId, to: claim.parentId ?? null });
    }
    return turn;
  }

  // State that no snapshot was wanted for goes on in memory, as long as nobody else moved the session on.
  #carriedTo({ claim, start }: Work): SessionContent | undefined {
    const goesOn = this.#last !== undefined && this.#last.snapshotId === claim.parentId;
    return goesOn ? this.#last?.content : start?.content;
  }

  #begun({ work, lease }: OpenTurn, content: SessionContent | undefined): BegunTurn {
    const { snapshotId, parentId, attempt } = work.claim;
    return {
      content: content ?? work.start?.content ?? EMPTY_CONTENT,
      snapshotId: this.#public(snapshotId),
      ...(parentId !== undefined && { parentSnapshotId: this.#public(parentId) }),
      attempt,
      signal: lease.signal,
    };
  }

  async #finish(turn: OpenTurn, ending: TurnEnding, endsRun: boolean): Promise<EndedTurn> {
    const { ledger, key } = this.#options;
    const { work, writer, lease } = turn;
    const { snapshotId } = work.claim;
    const rest = await writer.takeRest();
    const before = work.start?.content ?? EMPTY_CONTENT;
    const isKept = this.#wants(endsRun ? "runEnd" : "turnEnd", ending.content, before);
    const finished = await ledger.finish(key, work, {
      ...ending,
      content: isKept ? ending.content : before,
      ...rest,
      endsRun,
    });
    lease.end();
    this.#turn = undefined;
    this.#unfinished -= turn.inputs;
    if (finished.kind !== "committed") return finished;
    this.#last = {
      snapshotId,
      isKept,
      kept: isKept ? ending.content : before,
      content: ending.content,
    };
    this.#publishRest(rest, ending, { turn: work.claim.turn, snapshotId });
    return { kind: "kept", ...(isKept && { snapshotId: this.#public(snapshotId) }) };
  }

  // What the commit wrote, told to those who listen here.
  #publishRest(
    { events, nextSeq }: { readonly events: readonly RunEvent[]; readonly nextSeq: number },
    { status, finishReason, error }: TurnEnding,
    { turn, snapshotId }: Omit<TurnRef, "runId">,
  ): void {
    const turnEnd: RunEvent = {
      type: "turnEnd",
      turn,
      snapshotId,
      status,
      ...(finishReason !== undefined && { finishReason }),
      ...(error !== undefined && { error }),
    };
    for (const [index, event] of [...events, turnEnd].entries()) {
      this.#listener({ seq: nextSeq + index, event });
    }
  }

  // The agent's function ended without having asked for all its inputs. If it failed, so did the next of them; the rest end aborted.
  async #endUnheard(ending: TurnEnding): Promise<EndedTurn> {
    const { ledger, key, runId } = this.#options;
    const next = [...this.#accepted.values()].find(({ claim }) => claim !== undefined);
    if (ending.status === "failed" && next?.claim) {
      const turn = this.#open(await ledger.work(key, next.claim));
      const content = turn.work.start?.content ?? EMPTY_CONTENT;
      const ended = await this.#finish(turn, { ...ending, content }, this.#accepted.size === 1);
      if (this.#accepted.size > 1) await ledger.abort(key, { runId });
      return ended;
    }
    await ledger.abort(key, { runId });
    if (next?.claim) await ledger.release(key, next.claim);
    return { kind: "stopped" };
  }

  // The agent changed the state after its last turn: one more snapshot holds it.
  async #keepRest(ending: TurnEnding): Promise<EndedTurn> {
    const { ledger, key, runId } = this.#options;
    const run = { runId, turn: this.#count };
    const accepted = await ledger.accept(key, { input: null, run, onBusy: "queue", begin: true });
    if (accepted.kind !== "accepted") throw acceptError(accepted, this.sessionId);
    const claim = accepted.claim ?? (await waitForClaim(ledger, key, accepted.turn));
    const work = await ledger.work(key, claim, { input: null });
    const finished = await ledger.finish(key, work, ending);
    if (finished.kind !== "committed") return finished;
    return { kind: "kept", snapshotId: this.#public(claim.snapshotId) };
  }

  #wants(event: "turnEnd" | "runEnd", content: SessionContent, previous: SessionContent): boolean {
    if (event === "runEnd" && this.#turn === undefined && content === previous) return false;
    return this.#options.wantsSnapshot({
      event,
      content,
      previous,
      turnIndex: Math.max(this.#count - 1, 0),
    });
  }

  #public(id: string): string {
    return toPublicId({ sessionId: this.sessionId, id });
  }
}
