import type { SessionKey } from "../ledger/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { AgentWorkDesk, type TakenTurn, type WorkDesk } from "./work-desk.ts";

/** How much an agent works on by itself, for turns that nobody waits for. */
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
  readonly #desk: WorkDesk;
  readonly #slots: number;
  readonly #scanMs: number;
  readonly #stop = new AbortController();
  readonly #turns = new Set<TakenTurn>();
  readonly #scanning: Promise<void>;

  constructor(
    definition: AgentDefinition<Custom>,
    { slots = 8, scanMs = 1000 }: WorkerOptions = {},
  ) {
    this.#definition = definition;
    this.#desk = new AgentWorkDesk(definition);
    this.#slots = slots;
    this.#scanMs = scanMs;
    this.#scanning = this.#scan();
  }

  /** Looks for no more work and waits for what is under way; what is not done by then is handed over to other processes. */
  async stop({ handOverMs = Infinity }: StopOptions = {}): Promise<void> {
    this.#stop.abort(null);
    // A turn may be claimed at this very moment.
    await this.#scanning;
    const { timers } = this.#definition.ports;
    const handOver = (): void => {
      for (const turn of this.#turns) turn.handOver();
    };
    const callOff = handOverMs === Infinity ? () => {} : timers.after(handOverMs, handOver);
    await Promise.all([...this.#turns].map(({ done }) => done));
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
    const free = this.#slots - this.#turns.size;
    if (free > 0) {
      const due = await this.#desk.findDue(free);
      for (const key of due) if (!this.#stop.signal.aborted) await this.#takeOver(key);
    }
    if (scans % SWEEP_EVERY_SCANS === SWEEP_EVERY_SCANS - 1) await this.#desk.sweep();
  }

  async #takeOver(key: SessionKey): Promise<void> {
    const answer = await this.#desk.take(key);
    if (answer.kind !== "taken") return;
    const { turn } = answer;
    this.#turns.add(turn);
    void turn.done.then(() => this.#turns.delete(turn));
  }
}
