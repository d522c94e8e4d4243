import type { Claim, Ledger, SessionKey } from "../ledger/index.ts";
import { hashText, stepKey } from "../ledger/index.ts";
import { type Json, TurnkeepError } from "../protocol/index.ts";
import { type TurnLease, turnTaken } from "./turn-lease.ts";

/** How often a step may run when nobody knows whether it already did. */
export interface StepOptions {
  /** Running it twice does no harm, as long as it is given the same key. */
  readonly idempotent?: boolean;
}

/** Names one step for ever, also across take-overs: for systems that recognise repeated requests. */
export interface StepContext {
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

export interface JournaledStep extends StepOptions {
  readonly name: string;
  readonly input: Json;
  readonly signal: AbortSignal;
}

export type StepWork = (context: StepContext) => Promise<Json> | Json;

interface StepRow {
  readonly name: string;
  readonly input?: Json;
  readonly output?: Json;
}

export interface ToolStepsOptions {
  readonly ledger: Ledger;
  readonly key: SessionKey;
  readonly claim: Claim;
  readonly lease: TurnLease;
  readonly mostSteps: number;
}

/**
 * Writes down that a step begins, and what came of it. A worker that takes the turn over finds what was done and does not do it again; a step
 * that began and has no result runs again only if it is idempotent.
 */
export class ToolSteps {
  /** What the turn answers: then the keys of its steps are the same wherever that is answered. */
  questionId: string | undefined;
  readonly #ledger: Ledger;
  readonly #key: SessionKey;
  readonly #claim: Claim;
  readonly #lease: TurnLease;
  // Most turns take no step.
  #counts: Map<string, number> | undefined;
  readonly #mostSteps: number;
  #steps = 0;

  constructor({ ledger, key, claim, lease, mostSteps }: ToolStepsOptions) {
    this.#ledger = ledger;
    this.#key = key;
    this.#claim = claim;
    this.#lease = lease;
    this.#mostSteps = mostSteps;
  }

  /** @throws TurnkeepError ABORTED with reason UNKNOWN_TOOL_OUTCOME when an earlier worker began the step and nobody knows how it ended. */
  async run(step: JournaledStep, work: StepWork): Promise<Json> {
    this.#steps += 1;
    if (this.#steps > this.#mostSteps) throw tooManySteps(this.#mostSteps);
    const id = this.#idOf(step.name, step.input);
    const started = stepKey(this.#claim.runId, `${id}-started`);
    const done = stepKey(this.#claim.runId, `${id}-done`);
    // Also at the first attempt: a turn that was handed over is still at it.
    const { rows } = await this.#lease.insist(() =>
      this.#ledger.store.load(this.#key, { rows: [started, done] }),
    );
    const result = rows.get(done);
    if (result !== undefined) return (JSON.parse(result) as StepRow).output ?? null;
    if (rows.has(started) && !step.idempotent) throw unknownOutcome(step.name, id);
    await this.#append(started, { name: step.name, input: step.input });
    const idempotencyKey = this.#keyOf(id);
    const output = await work({ idempotencyKey, signal: step.signal });
    await this.#append(done, { name: step.name, output: output ?? null });
    return output ?? null;
  }

  // Equal requests of one turn are told apart by their order.
  #idOf(name: string, input: Json): string {
    const hash = hashText(JSON.stringify([name, input]));
    this.#counts ??= new Map();
    const count = (this.#counts.get(hash) ?? 0) + 1;
    this.#counts.set(hash, count);
    return `${this.#claim.turn.toString(36)}-${hash}-${count}`;
  }

  #keyOf(id: string): string {
    if (this.questionId === undefined) return `${this.#claim.runId}.${id}`;
    return `${this.questionId}.${id.slice(id.indexOf("-") + 1)}`;
  }

  async #append(key: string, row: StepRow): Promise<void> {
    const outcome = await this.#lease.insist(() =>
      this.#ledger.appendRows(this.#key, this.#claim, [{ key, value: JSON.stringify(row) }]),
    );
    if (outcome === "ok") return;
    await this.#lease.check();
    throw this.#lease.lost.reason ?? turnTaken();
  }
}

function unknownOutcome(name: string, step: string): TurnkeepError {
  return new TurnkeepError(
    "ABORTED",
    `Nobody knows whether the step "${name}" was carried out before its worker died. Look, then resume.`,
    { reason: "UNKNOWN_TOOL_OUTCOME", details: { name, step } },
  );
}

function tooManySteps(limit: number): TurnkeepError {
  return new TurnkeepError("RESOURCE_EXHAUSTED", `The turn has used up its ${limit} steps.`, {
    reason: "LIMIT_EXCEEDED",
    details: { limit },
  });
}
