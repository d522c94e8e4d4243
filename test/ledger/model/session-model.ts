import {
  createScope,
  createSessionKey,
  EMPTY_CONTENT,
  Ledger,
  SeenSession,
  type SessionKey,
  type SessionStore,
  SessionTree,
  sweepDue,
  type Work,
} from "../../../src/ledger/index.ts";
import type { AbortAnswer, Claim, Ports, TurnRef } from "../../../src/ledger/index.ts";
import type { Message } from "../../../src/protocol/index.ts";
import type { Action, WorkPlan } from "./history.ts";

const LEASE_MS = 1000;
export const MAX_ATTEMPTS = 2;
/** What edited snapshots say. */
export const EDITED = "edited";

const SCOPE = createScope("tenant");

/** The session of one history. */
export function historyKey(history: number): SessionKey {
  return createSessionKey(SCOPE, "agent", `session-${history}`);
}

/** What the actors were told, to be compared with what the store says in the end. */
export interface Told {
  readonly accepted: TurnRef[];
  readonly committed: string[];
  /** Turns that ended and left no snapshot. */
  readonly unsaved: Set<string>;
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

/** Plays the actors of a history against one session. */
export class SessionModel {
  readonly told: Told = {
    accepted: [],
    committed: [],
    unsaved: new Set(),
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
  readonly #turns = new Map<number, TurnRef>();
  // As the runs of one process, each of which builds on what it saw last: mostly old, since others play meanwhile.
  readonly #seen = new SeenSession();

  constructor(
    store: SessionStore,
    key: SessionKey,
    { ports, wait }: { readonly ports: Ports; readonly wait: (milliseconds: number) => void },
  ) {
    this.key = key;
    this.#ledger = new Ledger({
      store,
      ports,
      leaseMs: LEASE_MS,
      maxAttempts: MAX_ATTEMPTS,
      maxQueue: 3,
    });
    this.#tree = new SessionTree(this.#ledger);
    this.#wait = wait;
  }

  async play(actions: readonly Action[]): Promise<void> {
    for (const action of actions) await this.#act(action);
  }

  /** A worker that never dies, until nothing is left to do. */
  async drain(): Promise<void> {
    for (let round = 0, idle = 0; round < 60 && idle < 2; round += 1) {
      this.#wait(2 * LEASE_MS);
      const claimed = await this.#work({
        chunks: 1,
        stopAfter: null,
        handsOver: false,
        saves: true,
      });
      idle = claimed === "none" ? idle + 1 : 0;
    }
  }

  async #act(action: Action): Promise<void> {
    switch (action.do) {
      case "submit":
        return await this.#submit(action);
      case "work":
        await this.#work(action.work);
        return;
      case "abort":
        return await this.#abort(action);
      case "pin": {
        const turn = this.#turns.get(action.request);
        if (turn) this.#count("pin", await this.#tree.annotate(this.key, { pin: turn.snapshotId }));
        return;
      }
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
    const parentId = action.branch ? this.told.committed[0] : undefined;
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
    if (parentId !== undefined) this.told.branches.set(accepted.turn.snapshotId, parentId);
    if (accepted.claim) await this.#workOn(accepted.claim, action.work);
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
    let seq = claim.nextSeq;
    for (let chunk = 0; chunk < plan.chunks; chunk += 1) {
      if (stops()) return await this.#leave(claim, plan);
      const event = { type: "chunk" as const, chunk, epoch: claim.epoch };
      const outcome = await this.#ledger.appendEvents(this.key, claim, { seq, events: [event] });
      if (outcome === "fenced")
        return this.#count("release", await this.#ledger.release(this.key, claim));
      seq += 1;
    }
    if (stops()) return await this.#leave(claim, plan);
    const renewed = await this.#ledger.renew(this.key, claim, this.#seen);
    if (renewed.kind !== "renewed")
      return this.#count("release", await this.#ledger.release(this.key, claim));
    if (stops()) return await this.#leave(claim, plan);
    await this.#finish(await this.#ledger.work(this.key, claim), { nextSeq: seq, ...plan });
  }

  async #finish(
    work: Work,
    { nextSeq, saves }: { readonly nextSeq: number; readonly saves: boolean },
  ): Promise<void> {
    const { snapshotId } = work.claim;
    const said: Message = { role: "model", content: [{ text: snapshotId }] };
    const messages = (work.start?.content ?? EMPTY_CONTENT).messages.grow([said]);
    const finished = await this.#ledger.finish(this.key, work, {
      status: "completed",
      content: saves ? { messages, artifacts: [] } : null,
      finishReason: "stop",
      nextSeq,
      seen: this.#seen,
    });
    this.#count("finish", finished);
    if (finished.kind === "committed") this.told.committed.push(snapshotId);
    if (finished.kind === "unsaved") this.told.unsaved.add(snapshotId);
  }

  async #leave(claim: Claim, { handsOver }: WorkPlan): Promise<void> {
    if (!handsOver) return;
    this.told.handOvers.set(claim.runId, (this.told.handOvers.get(claim.runId) ?? 0) + 1);
    this.#count("release", await this.#ledger.release(this.key, claim));
  }

  async #abort({ request, by }: Extract<Action, { do: "abort" }>): Promise<void> {
    const turn = this.#turns.get(request);
    if (turn === undefined) return;
    const { runId, snapshotId } = turn;
    const aborted: AbortAnswer = await this.#ledger.abort(
      this.key,
      by === "run" ? { runId } : { snapshotId },
    );
    this.#count("abort", aborted);
    if (aborted.kind === "aborted") this.told.aborted.push(snapshotId);
    if (aborted.kind === "ended")
      this.told.ended.push({ target: snapshotId, status: aborted.status });
  }

  #count(act: string, { kind }: { readonly kind: string }): void {
    const name = `${act}:${kind}`;
    this.told.kinds.set(name, (this.told.kinds.get(name) ?? 0) + 1);
  }
}
