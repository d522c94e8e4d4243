import {
  type Claim,
  type ClaimAnswer,
  type Ledger,
  type SessionKey,
  sweepDue,
} from "../ledger/index.ts";
import { parseAgentInput } from "../protocol/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { runOf } from "./open-run.ts";
import type { SubmittedInput } from "./run-keeper.ts";
import { snapshotEvents, wantsSnapshot } from "./snapshot-when.ts";
import { StoredRun } from "./stored-run.ts";

/** What came of asking for a turn. */
export type TakeAnswer =
  | { readonly kind: "taken"; readonly turn: TakenTurn }
  | Exclude<ClaimAnswer, { readonly kind: "claimed" }>;

/** A turn that was claimed here and is worked on. */
export interface TakenTurn {
  /** Unlike that of any other claim. */
  readonly id: string;
  /** Resolves when it is over, whatever became of it. */
  readonly done: Promise<void>;
  /** Lets it go on elsewhere, as soon as its handler has come back. */
  readonly handOver: () => void;
}

/** An agent's turns that nobody works on: found, taken over and worked on. */
export interface WorkDesk {
  readonly agent: string;
  /** Where the agent's detached turns are announced. */
  readonly dispatcher: Dispatcher | undefined;
  /** @throws TurnkeepError FAILED_PRECONDITION when the agent has no store; whatever keeps the store from being opened. */
  open(): Promise<void>;
  /** Sessions with a turn that may be begun, or whose worker is gone; longest due first. */
  findDue(limit: number): Promise<readonly SessionKey[]>;
  /** Begins the next turn of a session, or takes one over whose worker is gone. */
  take(key: SessionKey): Promise<TakeAnswer>;
  /** Removes what is kept no longer. */
  sweep(): Promise<void>;
}

export class AgentWorkDesk<Custom> implements WorkDesk {
  readonly agent: string;
  readonly dispatcher: Dispatcher | undefined;
  readonly #definition: AgentDefinition<Custom>;

  constructor(definition: AgentDefinition<Custom>) {
    this.agent = definition.name;
    this.dispatcher = definition.options.dispatcher;
    this.#definition = definition;
  }

  async open(): Promise<void> {
    await this.#definition.open();
  }

  async findDue(limit: number): Promise<readonly SessionKey[]> {
    const { store } = await this.#definition.open();
    return await store.due({ kind: "work", agents: [this.agent], limit });
  }

  async take(key: SessionKey): Promise<TakeAnswer> {
    const ledger = await this.#definition.open();
    const claimed = await ledger.claim(key);
    if (claimed.kind !== "claimed") return claimed;
    const { claim } = claimed;
    // Before the lease is kept up: a turn whose inputs cannot be read is given up by itself.
    const inputs = await readInputs(ledger, key, claim);
    const keeper = this.#adopt(ledger, key, claim);
    const done = this.#work(keeper, inputs).catch(() => {});
    const id = `${claim.snapshotId} ${claim.epoch}`;
    return { kind: "taken", turn: { id, done, handOver: () => keeper.handOver() } };
  }

  async sweep(): Promise<void> {
    await sweepDue(await this.#definition.open());
  }

  #adopt(ledger: Ledger, key: SessionKey, claim: Claim): StoredRun {
    const { limits, options } = this.#definition;
    return new StoredRun({
      open: () => undefined,
      ledger,
      key,
      runId: claim.runId,
      leaseMs: limits.leaseMs,
      stepsPerTurn: limits.stepsPerTurn,
      onBusy: "queue",
      keepsChunks: options.events !== "process",
      notesStarts: options.transformState !== undefined,
      wantsSnapshot: wantsSnapshot(this.#definition, { sessionId: key.sessionId, context: {} }),
      snapshotEvents: snapshotEvents(this.#definition),
      adopted: claim,
    });
  }

  async #work(keeper: StoredRun, inputs: readonly SubmittedInput[]): Promise<void> {
    const run = runOf(this.#definition, keeper, {
      options: {},
      init: { sessionId: keeper.sessionId },
      signal: new AbortController().signal,
    });
    run.resume(inputs);
    run.closeInputs();
    await run.outcome;
  }
}

async function readInputs(
  ledger: Ledger,
  key: SessionKey,
  claim: Claim,
): Promise<readonly SubmittedInput[]> {
  const rows = await ledger.readInputs(key, claim);
  return rows.map(({ input }, index) => ({
    input: parseAgentInput(input),
    number: claim.turn + index,
    isClaimed: index === 0,
  }));
}
