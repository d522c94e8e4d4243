import { setTimeout } from "node:timers/promises";
import type { Message } from "turnkeep/protocol";
import {
  type AbortAnswer,
  type AcceptAnswer,
  type BusyPolicy,
  type Ledger,
  type SessionKey,
  type Snapshot,
  type Submission,
  type TurnRef,
} from "../../src/ledger/index.ts";
import { snapshotKey } from "../../src/ledger/row-key.ts";
import { insistently } from "./insistently.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** A turn that a client was told is accepted. */
export interface AcknowledgedTurn extends TurnRef {
  readonly input: Message;
  /** The snapshot it named to start from. */
  readonly parentId?: string;
}

export interface AbortedTurn {
  readonly snapshotId: string;
  readonly answer: AbortAnswer;
}

const INTERRUPT_SHARE = 0.1;
const REJECT_SHARE = 0.1;
const RETRY_SHARE = 0.2;
const ABORT_SHARE = 0.08;
const BRANCH_SHARE = 0.05;
const WAIT_SHARE = 0.8;
// Clients that look too often would keep a server from its work.
const POLL_MS = 100;

/** Talks in one session, impatiently, and remembers every answer it got. */
export class ChaosClient {
  readonly turns: AcknowledgedTurn[] = [];
  readonly aborts: AbortedTurn[] = [];
  /** Answers that contradict each other. */
  readonly contradictions: string[] = [];
  readonly key: SessionKey;
  readonly #name: string;
  readonly #ledger: Ledger;
  readonly #random: SeededRandom;
  readonly #completed: string[] = [];
  #inputs = 0;

  constructor(
    ledger: Ledger,
    key: SessionKey,
    { name, random }: { readonly name: string; readonly random: SeededRandom },
  ) {
    this.#ledger = ledger;
    this.key = key;
    this.#name = name;
    this.#random = random;
  }

  /** Talks until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const turn = await this.#submit();
      if (turn === undefined) {
        await setTimeout(this.#random.between(10, 50));
        continue;
      }
      this.turns.push(turn);
      if (this.#random.chance(ABORT_SHARE)) await this.#abort(turn);
      if (this.#random.chance(WAIT_SHARE)) await this.#awaitEnd(turn, signal);
    }
  }

  async #submit(): Promise<AcknowledgedTurn | undefined> {
    this.#inputs += 1;
    const text = `${this.#name} says ${this.#inputs}`;
    const input: Message = { role: "user", content: [{ text }] };
    const parentId = this.#random.chance(BRANCH_SHARE)
      ? this.#random.pick(this.#completed)
      : undefined;
    const submission: Submission = {
      input,
      requestId: text,
      onBusy: this.#policy(),
      ...(parentId !== undefined && { parentId }),
    };
    const answers = await this.#send(submission);
    const turn = this.#agreedTurn(text, answers);
    return turn && { ...turn, input, ...(parentId !== undefined && { parentId }) };
  }

  #policy(): BusyPolicy {
    const drawn = this.#random.next();
    if (drawn < INTERRUPT_SHARE) return "interrupt";
    return drawn < INTERRUPT_SHARE + REJECT_SHARE ? "reject" : "queue";
  }

  /** Some requests are sent twice, at once or one after the other, as clients do that got no answer. */
  async #send(submission: Submission): Promise<readonly AcceptAnswer[]> {
    const accept = () => insistently(() => this.#ledger.accept(this.key, submission));
    if (!this.#random.chance(RETRY_SHARE)) return [await accept()];
    if (this.#random.chance(0.5)) return await Promise.all([accept(), accept()]);
    const first = await accept();
    await setTimeout(this.#random.between(0, 200));
    return [first, await accept()];
  }

  // A request that was refused once may be accepted when it is sent again; one that was accepted is never refused.
  #agreedTurn(text: string, answers: readonly AcceptAnswer[]): TurnRef | undefined {
    const named = answers.flatMap((answer) =>
      answer.kind === "accepted" || answer.kind === "repeated" ? [answer.turn] : [],
    );
    const [turn] = named;
    const kinds = answers.map(({ kind }) => kind).join(", ");
    const isOneTurn = named.every(({ snapshotId }) => snapshotId === turn?.snapshotId);
    const fresh = answers.filter(({ kind }) => kind === "accepted").length;
    const isStrange = /mismatch|run-over|parent|stale/.test(kinds);
    // An answer may be lost inside the ledger's client too, which then asks again: hence at most one.
    if (!isOneTurn || fresh > 1 || isStrange) {
      this.contradictions.push(`"${text}" was answered ${kinds}: ${JSON.stringify(named)}`);
    }
    return turn;
  }

  async #abort({ runId, snapshotId }: TurnRef): Promise<void> {
    await setTimeout(this.#random.between(0, 150));
    const target = this.#random.chance(0.5) ? { runId } : { snapshotId };
    const answer = await insistently(() => this.#ledger.abort(this.key, target));
    this.aborts.push({ snapshotId, answer });
  }

  async #awaitEnd({ snapshotId }: TurnRef, signal: AbortSignal): Promise<void> {
    const row = snapshotKey(snapshotId);
    while (!signal.aborted) {
      const { rows } = await insistently(() => this.#ledger.store.load(this.key, { rows: [row] }));
      const text = rows.get(row);
      if (text !== undefined) {
        const { status } = JSON.parse(text) as Snapshot;
        if (status === "completed") this.#completed.push(snapshotId);
        return;
      }
      await setTimeout(POLL_MS);
    }
  }
}
