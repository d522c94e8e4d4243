import type { AgentFinishReason, Json, JsonObject, RuntimeError } from "../protocol/index.ts";
import type { Claim } from "./claim.ts";
import { changeOfContent, type ContentChange } from "./content-change.ts";
import { EventLog, type LoggedRun, type Place } from "./event-log.ts";
import { checkSize } from "./state-too-large.ts";
import { freezeJson } from "./freeze-json.ts";
import type { EventPage } from "./held-event.ts";
import type { Ports } from "./ports.ts";
import { promised } from "./promised.ts";
import { type Retention, retentionFrom } from "./retention.ts";
import { digestRequest } from "./request-digest.ts";
import { inputKey, turnKey } from "./row-key.ts";
import { eventRows, type WritableEvent } from "./run-event.ts";
import { runStep } from "./run-step.ts";
import { RunTails } from "./run-tail.ts";
import type { SessionKey } from "./scope.ts";
import { EMPTY_CONTENT, freezeContent, type SessionContent } from "./session-content.ts";
import type { AppendOutcome, Row, SessionStore } from "./session-store.ts";
import type { SeenSession } from "./seen-session.ts";
import {
  type LoadedSnapshot,
  SnapshotReader,
  snapshotSoFar,
  storedStateOf,
} from "./snapshot-reader.ts";
import { abort, type AbortAnswer, type AbortTarget } from "./steps/abort.ts";
import { accept, type AcceptAnswer, type BusyPolicy } from "./steps/accept.ts";
import { advance, type AdvanceAnswer } from "./steps/advance.ts";
import { claimTurn, type ClaimAnswer, type ClaimRequest } from "./steps/claim-turn.ts";
import { type DetachAnswer, detachRun } from "./steps/detach-run.ts";
import { endRun, type EndRunAnswer, type RunRest } from "./steps/end-run.ts";
import { finish, type FinishAnswer } from "./steps/finish.ts";
import { keepingLast } from "./steps/keep-last.ts";
import { type LinkAnswer, linkSession, type LinkedSession } from "./steps/link-session.ts";
import { release, type ReleaseAnswer, type ReleaseKind } from "./steps/release.ts";
import { removeSession, type RemoveAnswer } from "./steps/remove-session.ts";
import { renew, type RenewAnswer } from "./steps/renew.ts";
import { type RoundAnswer, saveRound } from "./steps/save-round.ts";
import type { InputRow } from "./steps/stop-turns.ts";
import type { Step } from "./step.ts";
import { systemPorts } from "./system-ports.ts";
import { TurnWaits } from "./turn-waits.ts";
import { findUnsaved, type UnsavedTurn } from "./unsaved-turn.ts";

export interface LedgerOptions {
  readonly store: SessionStore;
  readonly ports?: Ports;
  readonly retention?: Partial<Retention>;
  /** How long a worker may be silent before its turn is taken over. */
  readonly leaseMs?: number;
  /** How often a turn is begun before it counts as failed. */
  readonly maxAttempts?: number;
  /** How many inputs may wait in one session. */
  readonly maxQueue?: number;
  /** How long content may be, as JSON, for a turn to complete, or for a fork or an edit. */
  readonly maxContentCharacters?: number;
}

/** An input for a session. */
export interface Submission {
  readonly input: Json;
  /** The run it belongs to, with its number there; a new run when absent. */
  readonly run?: { readonly runId: string; readonly turn: number };
  readonly onBusy?: BusyPolicy | undefined;
  /** Makes sending it again harmless: the same id and content is the same turn. */
  readonly requestId?: string | undefined;
  readonly principal?: string | undefined;
  /** Added to what is noted of the session. */
  readonly metadata?: JsonObject | undefined;
  readonly expectedHead?: string | null | undefined;
  readonly parentId?: string | undefined;
  /** Begin the turn at once, here, if the slot is free. */
  readonly begin?: boolean | undefined;
  /** For how long nobody else may begin it, once it waits: the caller will, with `claim`. */
  readonly reservedMs?: number | undefined;
  /** Nobody stays connected to the run. */
  readonly detached?: boolean | undefined;
  /** What the caller saw last of the session. */
  readonly seen?: SeenSession | undefined;
}

/** A turn to work on. */
export interface Work {
  readonly claim: Claim;
  /** Its inputs; one, unless the turn was detached with others waiting behind it. */
  readonly inputs: readonly Json[];
  readonly principal?: string | undefined;
  /** The snapshot the turn starts from; absent at the start of a session. */
  readonly start?: LoadedSnapshot | undefined;
  /** What it saved last while it ran, if it did: what it comes to is stored as a change of that. */
  readonly saved?: LoadedSnapshot | undefined;
}

/** What a turn has come to while it runs. */
export interface SavedRound {
  /** The same each time it is tried. */
  readonly snapshotId: string;
  readonly content: SessionContent;
  /** What the caller saw last of the session. */
  readonly seen?: SeenSession | undefined;
}

/** How a turn ended. */
export interface TurnOutcome {
  readonly status: "completed" | "failed";
  /** What its snapshot holds; `null` when it is to leave none: then the session resumes from the head it had. */
  readonly content: SessionContent | null;
  readonly finishReason?: AgentFinishReason | undefined;
  readonly error?: RuntimeError | undefined;
  readonly usage?: JsonObject | undefined;
  /** What the turn was given, where its content does not say. */
  readonly input?: Json | undefined;
  /** Events not appended yet. */
  readonly events?: readonly WritableEvent[];
  /** The seq of the first of them; as the claim says, unless events were appended. */
  readonly nextSeq?: number;
  /** Whether the run ends with the turn. It does unless told otherwise. */
  readonly endsRun?: boolean;
  /** What is saved is how the run ends and not the turn: then no `turnEnd` names the snapshot. */
  readonly savesRun?: boolean;
  /** How many inputs were worked on: then a turn that was given more meanwhile is not ended. */
  readonly inputs?: number;
  /** What the caller saw last of the session. */
  readonly seen?: SeenSession | undefined;
}

/** What a run changed after its last turn. */
export type UnsavedRest = Omit<RunRest, "snapshotId" | "change"> & {
  readonly content: SessionContent;
};

/** The life of turns: every step loads, decides and commits, and can be tried again by anybody. */
export class Ledger {
  readonly store: SessionStore;
  readonly snapshots: SnapshotReader;
  readonly retention: Retention;
  readonly ports: Ports;
  /** For those who have read what a run said so far, and wait for more. */
  readonly tails: RunTails;
  /** For those who wait for a turn to end. */
  readonly waits: TurnWaits;
  readonly #events: EventLog;
  readonly #limits: Required<
    Pick<LedgerOptions, "leaseMs" | "maxAttempts" | "maxQueue" | "maxContentCharacters">
  >;

  constructor(options: LedgerOptions) {
    this.store = options.store;
    this.snapshots = new SnapshotReader(options.store);
    this.tails = new RunTails(this);
    this.#events = new EventLog(options.store);
    this.retention = retentionFrom(options.retention);
    this.ports = options.ports ?? systemPorts;
    this.waits = new TurnWaits(this);
    const { leaseMs = 15_000, maxAttempts = 3, maxQueue = 8 } = options;
    const { maxContentCharacters = Number.POSITIVE_INFINITY } = options;
    this.#limits = { leaseMs, maxAttempts, maxQueue, maxContentCharacters };
  }

  /** Takes an input in. When this resolves with `accepted`, the input is durable. */
  accept(key: SessionKey, submission: Submission): Promise<AcceptAnswer> {
    return promised(() => this.#run(key, this.#acceptStep(submission)));
  }

  #acceptStep(submission: Submission): Step<AcceptAnswer> {
    const { run, requestId, begin, onBusy = "reject" } = submission;
    const input = freezeJson(submission.input);
    const snapshotId = this.ports.ids.next();
    return accept({
      input,
      runId: run?.runId ?? this.ports.ids.next(),
      turn: run?.turn ?? 0,
      snapshotId,
      onBusy,
      principal: submission.principal,
      metadata: submission.metadata,
      expectedHead: submission.expectedHead,
      parentId: submission.parentId,
      reservedMs: submission.reservedMs,
      detached: submission.detached,
      maxQueue: this.#limits.maxQueue,
      keepMs: Math.min(this.retention.endedRunsMs, this.retention.requestsMs),
      request: requestId === undefined ? undefined : digestRequest(requestId, submission),
      claim: begin ? this.#claimRequest(snapshotId) : undefined,
      seen: submission.seen,
    });
  }

  /** Asks for a turn to work on: the next one of the queue, or one whose worker is gone. */
  async claim(key: SessionKey, options: { readonly only?: string } = {}): Promise<ClaimAnswer> {
    return await this.take(key, claimTurn(this.#claimRequest(options.only)));
  }

  /** What a claimed turn was given, unless the caller knows, and where it starts. */
  async work(key: SessionKey, claim: Claim, given?: InputRow): Promise<Work> {
    const rows = given === undefined ? await this.readInputs(key, claim) : [given];
    const principal = rows[0]?.principal;
    const start = await this.#startOf(key, claim);
    return { claim, inputs: rows.map(({ input }) => input), principal, start };
  }

  async #startOf(key: SessionKey, claim: Claim): Promise<LoadedSnapshot | undefined> {
    const { parentId, progress } = claim;
    if (progress) return await this.snapshots.findProgress(key, claim);
    return parentId === undefined ? undefined : await this.snapshots.findSeen(key, parentId);
  }

  /** Like `work`, for a turn whose inputs the caller has: `undefined` when only the store knows where it starts. */
  recallWork(key: SessionKey, claim: Claim): Work | undefined {
    const { parentId, progress } = claim;
    if (progress) return undefined;
    const start = parentId === undefined ? undefined : this.snapshots.recall(key, parentId);
    return parentId !== undefined && start === undefined ? undefined : { claim, inputs: [], start };
  }

  /** The inputs of a claimed turn; `inputs` may be more than the claim knew of. */
  async readInputs(
    key: SessionKey,
    { runId, turn, inputs }: Pick<Claim, "runId" | "turn" | "inputs">,
  ): Promise<readonly InputRow[]> {
    const keys = Array.from({ length: inputs }, (_, index) => inputKey(runId, turn + index));
    const { rows } = await this.store.load(key, { rows: keys });
    return keys.flatMap((row) => {
      const text = rows.get(row);
      return text === undefined ? [] : [JSON.parse(text) as InputRow];
    });
  }

  async renew(key: SessionKey, claim: Claim, seen?: SeenSession): Promise<RenewAnswer> {
    return await this.take(key, renew(claim, this.#limits.leaseMs, seen));
  }

  /** Makes events durable, numbered from `seq`. Only then may anybody see them. */
  appendEvents(
    key: SessionKey,
    claim: Claim,
    { seq, events }: { readonly seq: number; readonly events: readonly WritableEvent[] },
  ): Promise<AppendOutcome> {
    return this.appendRows(key, claim, eventRows(claim.runId, seq, events));
  }

  appendRows(key: SessionKey, claim: Claim, rows: readonly Row[]): Promise<AppendOutcome> {
    const { snapshotId, epoch } = claim;
    return this.store
      .append([{ key, fence: { snapshotId, epoch }, rows }])
      .then(([outcome = "fenced"]) => outcome);
  }

  /** Ends a turn. When this resolves with `committed`, its snapshot is durable and is the head. */
  finish(key: SessionKey, work: Work, outcome: TurnOutcome): Promise<FinishAnswer> {
    return promised(() => {
      const { content, status } = outcome;
      if (content === null) return this.#run(key, this.#finishStep(work, outcome, null));
      const change = this.#changeOf(baseOf(work), content, status);
      return this.#run(key, this.#finishStep(work, outcome, change)).then((finished) => {
        if (finished.kind !== "committed") return finished;
        this.snapshots.remember(key, { snapshot: finished.snapshot, content: change.content });
        return finished;
      });
    });
  }

  /** @throws TurnkeepError RESOURCE_EXHAUSTED when the content is longer than a session's may be. */
  checkSize(change: ContentChange): void {
    checkSize(change, this.#limits.maxContentCharacters);
  }

  /** @throws TurnkeepError RESOURCE_EXHAUSTED when a turn that completed would leave too much. */
  #changeOf(
    base: LoadedSnapshot | undefined,
    given: SessionContent,
    status: TurnOutcome["status"],
  ): ContentChange {
    const content = freezeContent(given, base?.content ?? EMPTY_CONTENT);
    const change = changeOfContent(base && storedStateOf(base), content);
    if (status === "completed") this.checkSize(change);
    return change;
  }

  #finishStep(
    { claim }: Work,
    outcome: TurnOutcome,
    change: ContentChange | null,
  ): Step<FinishAnswer> {
    return finish({
      claim,
      status: outcome.status,
      finishReason: outcome.finishReason,
      error: outcome.error,
      usage: outcome.usage,
      input: outcome.input,
      change,
      events: outcome.events ?? [],
      nextSeq: outcome.nextSeq ?? claim.nextSeq,
      endsRun: outcome.endsRun ?? true,
      savesRun: outcome.savesRun ?? false,
      inputs: outcome.inputs,
      keepMs: this.retention.endedRunsMs,
      seen: outcome.seen,
    });
  }

  /** Saves what a running turn has come to. The head stays, and the turn ends later, in a snapshot of its own. */
  saveRound(key: SessionKey, work: Work, round: SavedRound): Promise<RoundAnswer> {
    return promised(() => {
      const { snapshotId, content, seen } = round;
      const change = this.#changeOf(baseOf(work), content, "completed");
      return this.#run(key, saveRound({ claim: work.claim, snapshotId, change, seen }));
    });
  }

  /** Ends one input of a detached turn that has more of them. What is to be worked on then starts where this one ended. */
  async advance(
    key: SessionKey,
    work: Work,
    outcome: Omit<TurnOutcome, "endsRun" | "savesRun" | "inputs" | "input" | "usage" | "seen">,
  ): Promise<{ readonly answer: AdvanceAnswer; readonly work: Work }> {
    const { status, finishReason, error, events = [], nextSeq = work.claim.nextSeq } = outcome;
    const { content } = outcome;
    const change = content === null ? null : this.#changeOf(baseOf(work), content, status);
    const request = { status, finishReason, error, events, nextSeq, change };
    const answer = await this.take(key, advance({ claim: work.claim, ...request }));
    if (answer.kind !== "advanced") return { answer, work };
    const { claim } = answer;
    const next = { ...work, claim, inputs: work.inputs.slice(1) };
    const snapshot = change ? snapshotSoFar(claim) : undefined;
    if (snapshot === undefined || change === null) return { answer, work: next };
    const start = { snapshot, content: change.content };
    return { answer, work: { ...next, start, saved: undefined } };
  }

  /** How a turn ended that left no snapshot under the id that was reserved for one. */
  async findUnsaved(key: SessionKey, snapshotId: string): Promise<UnsavedTurn | undefined> {
    return findUnsaved(await this.store.load(key, { rows: [turnKey(snapshotId)] }), snapshotId);
  }

  /** Cuts a run loose from whoever is connected to it: what waits in it becomes part of its first unfinished turn. */
  async detach(key: SessionKey, runId: string): Promise<DetachAnswer> {
    return await this.take(key, detachRun(runId));
  }

  /** Ends a run between two turns, and saves what it changed after the last, if it did. */
  async endRun(key: SessionKey, runId: string, rest?: UnsavedRest): Promise<EndRunAnswer> {
    if (rest === undefined) return await this.take(key, endRun(runId));
    const { content, parentId, head, status, finishReason, error } = rest;
    const start = parentId === undefined ? undefined : await this.snapshots.findSeen(key, parentId);
    const change = this.#changeOf(start, content, status);
    const snapshotId = this.ports.ids.next();
    const request = { snapshotId, parentId, head, change, status, finishReason, error };
    const answer = await this.take(key, endRun(runId, request));
    if (answer.kind !== "saved") return answer;
    this.snapshots.remember(key, { snapshot: answer.snapshot, content: change.content });
    return answer;
  }

  /** When this resolves with `aborted`, no event, snapshot or head of the run will appear any more. */
  async abort(key: SessionKey, target: AbortTarget): Promise<AbortAnswer> {
    return await this.take(key, abort(target));
  }

  async release(key: SessionKey, claim: Claim, how?: ReleaseKind): Promise<ReleaseAnswer> {
    return await this.take(key, release(claim, how));
  }

  /** Erases the session, unless others belong to it that are not gone. The id may be used again at once, for a session that knows nothing of this one. */
  async remove(key: SessionKey, gone: readonly LinkedSession[] = []): Promise<RemoveAnswer> {
    const removed = await this.take(key, removeSession(this.retention.tombstonesMs, gone));
    if (removed.kind === "linked") return removed;
    this.snapshots.forget(key);
    this.#events.forgetAll();
    return removed;
  }

  /** Notes that a session of another agent belongs to this one. */
  async link(key: SessionKey, claim: Claim, linked: LinkedSession): Promise<LinkAnswer> {
    return await this.take(key, linkSession(claim, linked));
  }

  /** A page of a run's events, row by row and not looked into: the same lists for all who follow the run. */
  readHeldEvents(run: LoggedRun, place: Place): Promise<EventPage> {
    return this.#events.read(run, place);
  }

  /** Takes any step on a session. */
  async take<Answer>(key: SessionKey, step: Step<Answer>): Promise<Answer> {
    return await this.#run(key, step);
  }

  #run<Answer>(key: SessionKey, step: Step<Answer>): Promise<Answer> {
    return runStep(this, key, keepingLast(step, this.retention.snapshots));
  }

  #claimRequest(only: string | undefined): ClaimRequest {
    const { leaseMs, maxAttempts } = this.#limits;
    return { claimId: this.ports.ids.next(), leaseMs, maxAttempts, only };
  }
}

/** What was stored last of the turn: its next change builds on that, so that nothing is stored twice. */
function baseOf({ start, saved }: Work): LoadedSnapshot | undefined {
  return saved ?? start;
}
