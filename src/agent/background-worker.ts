import { type Claim, type Ledger, type SessionKey, sweepDue } from "../ledger/index.ts";
import { parseAgentInput, TurnkeepError } from "../protocol/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { runOf } from "./open-run.ts";
import { wantsSnapshot } from "./snapshot-when.ts";
import { StoredRun } from "./stored-run.ts";

export interface WorkerOptions {
  /** Turns worked on at once. */
  readonly slots?: number;
  /** How often to look for work, on average. */
  readonly scanMs?: number;
}

const SWEEP_EVERY_SCANS = 600;

/** Finds turns of its agent that nobody works on, its own process's from before a restart among them, and takes them over. */
export class BackgroundWorker<Custom> {
  readonly #definition: AgentDefinition<Custom>;
  readonly #slots: number;
  readonly #scanMs: number;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(
    definition: AgentDefinition<Custom>,
    { slots = 8, scanMs = 1000 }: WorkerOptions = {},
  ) {
    this.#definition = definition;
    this.#slots = slots;
    this.#scanMs = scanMs;
    void this.#scan();
  }

  /** Looks for no more work and waits for what is under way. */
  async stop(): Promise<void> {
    this.#stop.abort(null);
    await Promise.allSettled(this.#running);
  }

  async #scan(): Promise<void> {
    const { timers, random } = this.#definition.ports;
    const { signal } = this.#stop;
    for (let scans = 0; !signal.aborted; scans += 1) {
      // The store may be away for a while; the next scan tries again.
      await this.#takeOverDue(scans).catch(() => {});
      const pause = this.#scanMs * (0.5 + random.next());
      await timers.sleep(pause, { signal, inBackground: true }).catch(() => {});
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
      for (const key of due) await this.#takeOver(ledger, key);
    }
    if (scans % SWEEP_EVERY_SCANS === SWEEP_EVERY_SCANS - 1) await sweepDue(ledger);
  }

  async #takeOver(ledger: Ledger, key: SessionKey): Promise<void> {
    const claimed = await ledger.claim(key);
    if (claimed.kind !== "claimed") return;
    const work: Promise<void> = this.#work(ledger, key, claimed.claim)
      .catch(() => {})
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async #work(ledger: Ledger, key: SessionKey, claim: Claim): Promise<void> {
    const { limits, options } = this.#definition;
    const keeper = new StoredRun({
      open: async () => {},
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
    const run = runOf(this.#definition, keeper, {
      options: {},
      init: { sessionId: key.sessionId },
      signal: new AbortController().signal,
    });
    const rows = await ledger.readInputs(key, claim);
    if (rows.length === 0) throw new TurnkeepError("INTERNAL", "A turn without inputs.");
    run.resume(
      rows.map(({ input }, index) => ({
        input: parseAgentInput(input),
        number: claim.turn + index,
      })),
    );
    run.closeInputs();
    await run.outcome;
  }
}
