import type { Claim, Ledger, SessionKey } from "../ledger/index.ts";
import { hashText, stepKey } from "../ledger/index.ts";
import { type Json, TurnkeepError } from "../protocol/index.ts";
import { storedCopy } from "./plain-copy.ts";
import { type StepFailure, stepError, stepFailure } from "./step-failure.ts";
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
  /** How the step failed, if it did. */
  readonly error?: StepFailure;
}

/**
 * The input and the result of a step as JSON: what the first worker is given is what a later one reads.
 *
 * @throws TurnkeepError INVALID_ARGUMENT naming the place of what is not JSON-serializable.
 */
export function stepValue(value: Json | undefined, name: string, part: "input" | "result"): Json {
  return storedCopy(value ?? null, `step "${name}": ${part}`);
}

export interface ToolStepsOptions {
  readonly ledger: Ledger;
  readonly key: SessionKey;
  readonly claim: Claim;
  readonly lease: TurnLease;
  readonly mostSteps: number;
}

/**
 * Writes down that a step begins, and what came of it: its result, or its error. A worker that takes the turn over finds what was done and does not do
 * it again; a step that began and has no outcome runs again only if it is idempotent.
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
    const input = stepValue(step.input, step.name, "input");
    const id = this.#idOf(step.name, input);
    const started = stepKey(this.#claim.runId, `${id}-started`);
    const done = stepKey(this.#claim.runId, `${id}-done`);
    // Also at the first attempt: a turn that was handed over is still at it.
    const { rows } = await this.#lease.insist(() =>
      this.#ledger.store.load(this.#key, { rows: [started, done] }),
    );
    const result = rows.get(done);
    if (result !== undefined) return resultOf(result);
    if (rows.has(started) && !step.idempotent) throw unknownOutcome(step.name, id);
    await this.#append(started, JSON.stringify({ name: step.name, input } satisfies StepRow));
    const idempotencyKey = this.#keyOf(id);
    const value = await this.#carryOut(step, () => work({ idempotencyKey, signal: step.signal }));
    await this.#append(done, value.row);
    if (value.failure) throw value.failure.error;
    return resultOf(value.row);
  }

  // What becomes of the step, as a row. A step that was cut off by its signal leaves none: nobody knows how far it came.
  async #carryOut(
    { name, signal }: JournaledStep,
    work: () => Promise<Json> | Json,
  ): Promise<{ readonly row: string; readonly failure?: { readonly error: unknown } }> {
    try {
      const output = stepValue(await work(), name, "result");
      return { row: JSON.stringify({ name, output } satisfies StepRow) };
    } catch (error) {
      if (signal.aborted) throw error;
      const row: StepRow = { name, error: stepFailure(error) };
      return { row: JSON.stringify(row), failure: { error } };
    }
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

  async #append(key: string, value: string): Promise<void> {
    const outcome = await this.#lease.insist(() =>
      this.#ledger.appendRows(this.#key, this.#claim, [{ key, value }]),
    );
    if (outcome === "ok") return;
    await this.#lease.check();
    throw this.#lease.lost.reason ?? turnTaken();
  }
}

// Each time from the row, so that all workers see the same.
function resultOf(row: string): Json {
  const { output = null, error } = JSON.parse(row) as StepRow;
  if (error) throw stepError(error);
  return output;
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
