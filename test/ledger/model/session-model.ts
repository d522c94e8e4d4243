import {
  createScope,
  createSessionKey,
  EMPTY_CONTENT,
  Ledger,
  SeenSession,
  type SessionContent,
  type SessionKey,
  type SessionStore,
  SessionTree,
  sweepDue,
  type Work,
} from "../../../src/ledger/index.ts";
import type { AbortAnswer, Claim, Ports, ReleaseKind, TurnRef } from "../../../src/ledger/index.ts";
import type { Message } from "../../../src/protocol/index.ts";
import type { Action, WorkPlan } from "./history.ts";

const LEASE_MS = 1000;
export const MAX_ATTEMPTS = 2;
/** What edited snapshots say. */
export const EDITED = "edited";

const SCOPE = createScope("tenant");

const DILIGENT: WorkPlan = {
  chunks: 1,
  rounds: 0,
  stopAfter: null,
  leaves: "dead",
  saves: "turn",
  savesProgress: true,
  endsRun: true,
};

/** The session of one history. */
export function historyKey(history: number): SessionKey {
  return createSessionKey(SCOPE, "agent", `session-${history}`);
}

/** What the actors were told, to be compared with what the store says in the end. */
export interface Told {
  readonly accepted: TurnRef[];
  readonly committed: string[];
  /** Snapshots that were saved while a turn ran: the snapshot that the turn was to end in, and what its worker had saved for the same input, this one included. */
  readonly rounds: Map<string, { readonly endsIn: string; readonly said: readonly string[] }>;
  /** Those that the worker saved which ended an input, by the input. */
  readonly before: Map<string, readonly string[]>;
  /** The runs of turns that ended and left no snapshot, by the id that was reserved for one. */
  readonly unsaved: Map<string, string>;
  /** The last input of what a snapshot holds. */
  readonly lastTurns: Map<string, number>;
  /** Inputs of detached turns that ended before their turn did, and were to be saved with it. */
  readonly advanced: Set<string>;
  /** Runs and snapshots. */
  readonly aborted: string[];
  readonly ended: { readonly target: string; readonly status: string }[];
  /** Turns that a client asked to start at a certain snapshot. */
  readonly branches: Map<string, string>;
  /** Snapshots that no turn made. */
  readonly edits: Set<string>;
  readonly epochs: number[];
  /** How often workers asked to hand over a turn of the run. */
  readonly handOvers: Map<string, number>;
  readonly kinds: Map<string, number>;
}

export interface ModelOptions {
  readonly ports: Ports;
  readonly wait: (milliseconds: number) => void;
  readonly keepLast: number | null;
}

interface Ending extends Pick<WorkPlan, "saves" | "savesProgress" | "endsRun"> {
  readonly nextSeq: number;
  /** Snapshots that were saved for the same input. */
  readonly rounds: readonly string[];
}

/** Plays the actors of a history against one session. */
export class SessionModel {
  readonly told: Told = {
    accepted: [],
    committed: [],
    rounds: new Map(),
    before: new Map(),
    unsaved: new Map(),
    lastTurns: new Map(),
    advanced: new Set(),
    aborted: [],
    ended: [],
    branches: new Map(),
    edits: new Set(),
    epochs: [],
    handOvers: new Map(),
    kinds: new Map(),
  };
  readonly key: SessionKey;
  readonly #ledger: Ledger;
  readonly #tree: SessionTree;
  readonly #wait: (milliseconds: number) => void;
  readonly #ids: Ports["ids"];
  readonly #turns = new Map<number, TurnRef>();
  /** Where a run was when its last turn ended: the snapshot that it would go on from, and the head. */
  readonly #left = new Map<string, { readonly parentId?: string; readonly head: string | null }>();
  /** Runs that are given an input: a run has one client, which sends one after the other. */
  readonly #followed = new Set<string>();
  /** The number of the next input of a run. */
  readonly #nextTurns = new Map<string, number>();
  // As the runs of one process, each of which builds on what it saw last: mostly old, since others play meanwhile.
  readonly #seen = new SeenSession();

  constructor(store: SessionStore, key: SessionKey, { ports, wait, keepLast }: ModelOptions) {
    this.key = key;
    this.#ledger = new Ledger({
      store,
      ports,
      leaseMs: LEASE_MS,
      maxAttempts: MAX_ATTEMPTS,
      maxQueue: 3,
      ...(keepLast !== null && { retention: { snapshots: { keepLast } } }),
    });
    this.#tree = new SessionTree(this.#ledger);
    this.#wait = wait;
    this.#ids = ports.ids;
  }

  async play(actions: readonly Action[]): Promise<void> {
    for (const action of actions) await this.#act(action);
  }

  /** A worker that never dies, until nothing is left to do; then whoever is still connected leaves. */
  async drain(): Promise<void> {
    for (let round = 0, idle = 0; round < 60 && idle < 2; round += 1) {
      this.#wait(2 * LEASE_MS);
      const claimed = await this.#work({
        ...DILIGENT,
        saves: round % 3 === 1 ? "nothing" : "turn",
      });
      idle = claimed === "none" ? idle + 1 : 0;
    }
    for (const runId of this.#nextTurns.keys()) await this.#ledger.endRun(this.key, runId);
  }

  async #act(action: Action): Promise<void> {
    switch (action.do) {
      case "submit":
        return await this.#submit(action);
      case "follow":
        return await this.#follow(action);
      case "detach":
        return await this.#detach(action.request);
      case "end":
        return await this.#endRun(action.request);
      case "work":
        await this.#work(action.work);
        return;
      case "abort":
        return await this.#abort(action);
      case "pin":
        return await this.#pin(action.request);
      case "edit":
        return await this.#edit(action.request);
      case "wait":
        return this.#wait(action.milliseconds);
      case "sweep":
        await sweepDue(this.#ledger);
        return;
      case "remove":
        this.#count("remove", await this.#ledger.remove(this.key));
    }
  }

  async #pin(request: number): Promise<void> {
    const turn = this.#turns.get(request);
    if (turn) this.#count("pin", await this.#tree.annotate(this.key, { pin: turn.snapshotId }));
  }

  async #edit(request: number): Promise<void> {
    const parentId = this.told.committed[request % Math.max(this.told.committed.length, 1)];
    const start = parentId === undefined ? undefined : await this.#tree.find(this.key, parentId);
    if (parentId === undefined || start === undefined) return;
    const said: Message = { role: "model", content: [{ text: EDITED }] };
    const content = { messages: start.content.messages.grow([said]), artifacts: [] };
    const branched = await this.#tree.branch(this.key, start, content);
    this.#count("edit", branched);
    if (branched.kind !== "branched") return;
    const { snapshotId } = branched.snapshot;
    this.told.committed.push(snapshotId);
    this.told.edits.add(snapshotId);
    this.told.branches.set(snapshotId, parentId);
  }

  async #submit(action: Extract<Action, { do: "submit" }>): Promise<void> {
    const parentId = this.#branchAt(action.branch);
    const accepted = await this.#ledger.accept(this.key, {
      input: { say: action.request },
      requestId: `request-${action.request}-${parentId ?? ""}`,
      onBusy: action.policy,
      ...(parentId !== undefined && { parentId }),
      begin: action.begin,
      seen: this.#seen,
    });
    this.#count("accept", accepted);
    if (accepted.kind === "accepted" || accepted.kind === "repeated")
      this.#turns.set(action.request, accepted.turn);
    if (accepted.kind !== "accepted") return;
    this.told.accepted.push(accepted.turn);
    this.#nextTurns.set(accepted.turn.runId, 1);
    if (parentId !== undefined) this.told.branches.set(accepted.turn.snapshotId, parentId);
    if (accepted.claim) await this.#workOn(accepted.claim, action.work);
  }

  // Of the latest ones, mostly: earlier runs are over.
  #runOf(request: number): string | undefined {
    return this.told.accepted.at(-1 - (request % 2))?.runId;
  }

  async #detach(request: number): Promise<void> {
    const runId = this.#runOf(request);
    if (runId) this.#count("detach", await this.#ledger.detach(this.key, runId));
  }

  async #endRun(request: number): Promise<void> {
    const runId = this.#runOf(request) ?? "";
    const left = this.#left.get(runId);
    if (left === undefined) return;
    const { parentId, head } = left;
    const start = parentId === undefined ? undefined : await this.#tree.find(this.key, parentId);
    // Later ones have pushed it out.
    if (parentId !== undefined && start === undefined) return;
    const said: Message = { role: "model", content: [{ text: `${runId}/end` }] };
    const messages = (start?.content ?? EMPTY_CONTENT).messages.grow([said]);
    const content = { messages, artifacts: [] };
    const rest = { parentId, head, content, status: "completed" } as const;
    const ended = await this.#ledger.endRun(this.key, runId, rest);
    this.#count("end", ended);
    if (ended.kind !== "saved") return;
    const { snapshotId } = ended.snapshot;
    this.told.committed.push(snapshotId);
    const isBranch = parentId !== undefined && parentId !== head;
    if (isBranch) this.told.branches.set(snapshotId, parentId);
  }

  async #follow({ request, begin, work }: Extract<Action, { do: "follow" }>): Promise<void> {
    const runId = this.#runOf(request);
    if (runId === undefined || this.#followed.has(runId)) return;
    const turn = this.#nextTurns.get(runId) ?? 1;
    const run = { runId, turn };
    const input = { say: turn };
    this.#followed.add(runId);
    const followed = await this.#ledger
      .accept(this.key, { input, run, onBusy: "queue", begin })
      .finally(() => this.#followed.delete(runId));
    this.#count("follow", followed);
    if (followed.kind !== "accepted") return;
    this.#nextTurns.set(runId, turn + 1);
    this.told.accepted.push(followed.turn);
    if (followed.claim) await this.#workOn(followed.claim, work);
  }

  async #work(plan: WorkPlan): Promise<string> {
    const claimed = await this.#ledger.claim(this.key);
    this.#count("claim", claimed);
    if (claimed.kind === "claimed") await this.#workOn(claimed.claim, plan);
    return claimed.kind;
  }

  async #workOn(claim: Claim, plan: WorkPlan): Promise<void> {
    this.told.epochs.push(claim.epoch);
    let steps = 0;
    const stops = (): boolean => plan.stopAfter !== null && steps++ >= plan.stopAfter;
    let work: Work | undefined = { claim, inputs: [] };
    for (let isFirst = true; work; isFirst = false) {
      const seq = await this.#stream(work.claim, { ...plan, stops });
      if (seq === undefined) return;
      const begun: Work = isFirst ? await this.#ledger.work(this.key, claim) : work;
      const saved = await this.#saveRounds(begun, { ...plan, stops });
      if (saved === undefined) return;
      const { rounds } = saved;
      work = await this.#end(saved.work, { ...plan, nextSeq: seq, rounds });
    }
  }

  // The seq after what was streamed; `undefined` when the worker goes away, or has lost its turn.
  async #stream(
    claim: Claim,
    plan: WorkPlan & { readonly stops: () => boolean },
  ): Promise<number | undefined> {
    let seq = claim.nextSeq;
    for (let chunk = 0; chunk < plan.chunks; chunk += 1) {
      if (plan.stops()) return await this.#leave(claim, plan);
      const event = { type: "chunk" as const, chunk, epoch: claim.epoch };
      const outcome = await this.#ledger.appendEvents(this.key, claim, { seq, events: [event] });
      if (outcome === "fenced") return await this.#release(claim);
      seq += 1;
    }
    if (plan.stops()) return await this.#leave(claim, plan);
    const renewed = await this.#ledger.renew(this.key, claim, this.#seen);
    if (renewed.kind !== "renewed") return await this.#release(claim);
    return plan.stops() ? await this.#leave(claim, plan) : seq;
  }

  #branchAt(branch: "first" | "round" | null): string | undefined {
    if (branch === "first") return this.told.committed[0];
    return branch === "round" ? [...this.told.rounds.keys()].at(-1) : undefined;
  }

  // What goes on after them; `undefined` when the worker goes away, or has lost its turn.
  async #saveRounds(
    begun: Work,
    plan: WorkPlan & { readonly stops: () => boolean },
  ): Promise<{ readonly work: Work; readonly rounds: readonly string[] } | undefined> {
    let work = begun;
    const rounds: string[] = [];
    for (let round = 0; round < plan.rounds; round += 1) {
      if (plan.stops()) return await this.#leave(work.claim, plan);
      const saved = await this.#saveRound(work, rounds);
      if (saved === undefined) return await this.#release(work.claim);
      work = saved;
    }
    return plan.stops() ? await this.#leave(work.claim, plan) : { work, rounds };
  }

  async #saveRound(work: Work, rounds: string[]): Promise<Work | undefined> {
    const snapshotId = this.#ids.next();
    const content = contentWith(work, rounds, snapshotId);
    const answer = await this.#ledger.saveRound(this.key, work, {
      snapshotId,
      content,
      seen: this.#seen,
    });
    this.#count("round", answer);
    if (answer.kind !== "saved") return undefined;
    rounds.push(snapshotId);
    this.told.rounds.set(snapshotId, { endsIn: work.claim.snapshotId, said: [...rounds] });
    return { ...work, saved: { snapshot: answer.snapshot, content } };
  }

  // What is left to work on, when the turn has more inputs.
  async #end(work: Work, ending: Ending): Promise<Work | undefined> {
    const { nextSeq, saves, savesProgress, endsRun, rounds } = ending;
    const { snapshotId, runId, turn, inputs } = work.claim;
    const name = `${runId}/${turn}`;
    const isSaved = inputs > 1 ? savesProgress : saves !== "nothing";
    const content = isSaved ? contentWith(work, rounds, name) : null;
    const ended = { status: "completed", finishReason: "stop", content, nextSeq } as const;
    if (inputs > 1) {
      const { answer, work: next } = await this.#ledger.advance(this.key, work, ended);
      this.#count("advance", answer);
      if (answer.kind !== "advanced") return undefined;
      this.told.before.set(name, rounds);
      if (isSaved) this.told.advanced.add(name);
      return next;
    }
    const seen = this.#seen;
    const outcome = { ...ended, inputs, endsRun, seen, savesRun: endsRun && saves === "run" };
    const finished = await this.#ledger.finish(this.key, work, outcome);
    this.#count("finish", finished);
    const { parentId } = work.claim;
    if (finished.kind === "committed") {
      this.told.committed.push(snapshotId);
      this.told.before.set(name, rounds);
      this.told.lastTurns.set(snapshotId, turn);
      this.#left.set(runId, { parentId: snapshotId, head: snapshotId });
    }
    if (finished.kind === "unsaved") {
      this.told.unsaved.set(snapshotId, runId);
      const { head } = finished;
      this.#left.set(runId, { head, ...(parentId !== undefined && { parentId }) });
    }
    if (finished.kind !== "extended") return undefined;
    // It was detached meanwhile, and may have been given more.
    const claim = { ...work.claim, inputs: finished.inputs };
    return await this.#end({ ...work, claim }, { ...ending, endsRun: true });
  }

  async #leave(claim: Claim, { leaves }: WorkPlan): Promise<undefined> {
    if (leaves === "dead") return undefined;
    if (leaves === "handed-over") {
      this.told.handOvers.set(claim.runId, (this.told.handOvers.get(claim.runId) ?? 0) + 1);
    }
    return await this.#release(claim, leaves);
  }

  async #release(claim: Claim, how?: ReleaseKind): Promise<undefined> {
    this.#count("release", await this.#ledger.release(this.key, claim, how));
  }

  async #abort({ request, by }: Extract<Action, { do: "abort" }>): Promise<void> {
    const turn = this.#turns.get(request) ?? this.told.accepted.at(-1);
    if (turn === undefined) return;
    const { runId, snapshotId } = turn;
    const target = by === "run" ? runId : snapshotId;
    const named = by === "run" ? { runId } : { snapshotId };
    const aborted: AbortAnswer = await this.#ledger.abort(this.key, named);
    this.#count("abort", aborted);
    if (aborted.kind === "aborted") this.told.aborted.push(target);
    if (aborted.kind === "ended") this.told.ended.push({ target, status: aborted.status });
  }

  #count(act: string, { kind }: { readonly kind: string }): void {
    const name = `${act}:${kind}`;
    this.told.kinds.set(name, (this.told.kinds.get(name) ?? 0) + 1);
  }
}

/** What the turn started from, what it has saved since, and one more. */
function contentWith(work: Work, rounds: readonly string[], last: string): SessionContent {
  const said = [...rounds, last].map((text): Message => ({ role: "model", content: [{ text }] }));
  const { messages } = work.start?.content ?? EMPTY_CONTENT;
  return { messages: messages.grow(said), artifacts: [] };
}
