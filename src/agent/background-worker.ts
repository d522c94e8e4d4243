import { type Claim, type Ledger, type SessionKey, sweepDue } from "../ledger/index.ts";
import { parseAgentInput } from "../protocol/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { runOf } from "./open-run.ts";
import type { SubmittedInput } from "./run-keeper.ts";
import { wantsSnapshot } from "./snapshot-when.ts";
import { StoredRun } from "./stored-run.ts";

export interface WorkerOptions {
  /** Turns worked on at once. */
  readonly slots?: number;
  /** How often to look for work, on average. */
  readonly scanMs?: number;
}

export interface StopOptions {
  /** How long turns under way may go on. */
  readonly handOverMs?: number;
}

const SWEEP_EVERY_SCANS = 600;

/** Finds turns of its agent that nobody works on, its own process's from before a restart among them, and takes them over. */
export class BackgroundWorker<Custom> {
  readonly #definition: AgentDefinition<Custom>;
  readonly #slots: number;
  readonly #scanMs: number;
  readonly #stop = new AbortController();
  readonly #running = new Map<Promise<void>, StoredRun>();

  constructor(
    definition: AgentDefinition<Custom>,
    { slots = 8, scanMs = 1000 }: WorkerOptions = {},
  ) {
    this.#definition = definition;
    this.#slots = slots;
    this.#scanMs = scanMs;
    void this.#scan();
  }

  /** Looks for no more work and waits for what is under way; what is not done by then is handed over to other processes. */
  async stop({ handOverMs = Infinity }: StopOptions = {}): Promise<void> {
    this.#stop.abort(null);
    const { timers } = this.#definition.ports;
    const handOver = (): void => {
      for (const run of this.#running.values()) run.handOver();
    };
    const callOff = handOverMs === Infinity ? () => {} : timers.after(handOverMs, handOver);
    await Promise.allSettled(this.#running.keys());
    callOff();
  }

  async #scan(): Promise<void> {
    const { timers, random } = this.#definition.ports;
    const { signal } = this.#stop;
    for (let scans = 0; !signal.aborted; scans += 1) {
      // The store may be away for a while; the next scan tries again.
      await this.#takeOverDue(scans).catch(() => {});
      // It was stopped, or nothing may run by itself here: Workers have neither timers nor chance outside of requests.
      try {
        const pause = this.#scanMs * (0.5 + random.next());
        await timers.sleep(pause, { signal, inBackground: true });
      } catch {
        return;
      }
    }
  }

  async #takeOverDue(scans: number): Promise<void> {
    const ledger = await this.#definition.open();
    const free = this.#slots - this.#running.size;
    if (free > 0) {
      const due = await ledger.store.due({
        kind: "work",
        agents: [this.#definition.name],
        limit: free,
      });
      for (const key of due) if (!this.#stop.signal.aborted) await this.#takeOver(ledger, key);
    }
    if (scans % SWEEP_EVERY_SCANS === SWEEP_EVERY_SCANS - 1) await sweepDue(ledger);
  }

  async #takeOver(ledger: Ledger, key: SessionKey): Promise<void> {
    const claimed = await ledger.claim(key);
    if (claimed.kind !== "claimed") return;
    const { claim } = claimed;
    // Before the lease is kept up: a turn whose inputs cannot be read is given up by itself.
    const inputs = await readInputs(ledger, key, claim);
    const keeper = this.#adopt(ledger, key, claim);
    const work: Promise<void> = this.#work(keeper, inputs)
      .catch(() => {})
      .finally(() => this.#running.delete(work));
    this.#running.set(work, keeper);
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
      wantsSnapshot: wantsSnapshot(this.#definition, { sessionId: key.sessionId, context: {} }),
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

// What a run keeps after its last turn has no input: nobody but its own process knows what it was to hold.
async function readInputs(
  ledger: Ledger,
  key: SessionKey,
  claim: Claim,
): Promise<readonly SubmittedInput[]> {
  const rows = await ledger.readInputs(key, claim);
  return rows.flatMap(({ input }, index) =>
    input === null ? [] : [{ input: parseAgentInput(input), number: claim.turn + index }],
  );
}
