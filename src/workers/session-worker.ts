import type { DispatchedWork, TakenTurn, WorkDesk } from "../agent/index.ts";
import type { Ports, SessionKey } from "../ledger/index.ts";
import type { WorkSlots } from "./work-slots.ts";

export interface SessionWorkerOptions {
  readonly desks: readonly WorkDesk[];
  readonly slots: WorkSlots;
  /** How often to look for work that nobody announced, on average. */
  readonly scanMs: number;
  readonly ports: Ports;
  /** Told what goes wrong and is tried again. */
  readonly trouble: (error: unknown) => void;
}

/** What became of a session: all that was due is done or somebody else's, or there was no place for it here. */
export type WorkAnswer = "done" | "full";

const MOST_DUE = 200;
const SWEEP_EVERY_SCANS = 600;
// However fast turns end, the store is not asked for more all the time.
const LEAST_PAUSE_MS = 25;

/** Works on sessions, as many at once as there are slots, wherever the word of them came from; and looks for those that nobody spoke of. */
export class SessionWorker {
  readonly #options: SessionWorkerOptions;
  readonly #desks: ReadonlyMap<string, WorkDesk>;
  readonly #turns = new Map<TakenTurn, SessionKey>();
  readonly #working = new Set<Promise<unknown>>();
  readonly #handedOver: DispatchedWork[] = [];
  readonly #stop = new AbortController();
  #scanning: Promise<void> | undefined;
  #isHandingOver = false;
  #isWanted = false;
  #wake: () => void = () => {};

  constructor(options: SessionWorkerOptions) {
    this.#options = options;
    this.#desks = new Map(options.desks.map((desk) => [desk.agent, desk]));
  }

  /** Looks for work that nobody spoke of, from now on. */
  start(): void {
    this.#scanning ??= this.#scan();
  }

  /** Works on whatever is due in a session, turn by turn. Rejects only when its store cannot be asked. */
  async work(key: SessionKey): Promise<WorkAnswer> {
    const desk = this.#desks.get(key.agent);
    // Whoever has that agent finds the session by itself.
    if (desk === undefined) return "done";
    if (this.#stop.signal.aborted) return "full";
    const giveBack = this.#options.slots.take(key);
    if (giveBack === undefined) {
      this.#isWanted = true;
      return "full";
    }
    const working = this.#workAt(desk, key).finally(() => {
      this.#working.delete(working);
      giveBack();
      if (this.#isWanted) this.#wake();
    });
    this.#working.add(working);
    await working;
    return "done";
  }

  /**
   * Takes no more work. Turns under way have this long to end by themselves, then they are let go. Answers which those are, for others to be told: a turn
   * among them may have ended after all.
   */
  async stop({ handOverMs }: { readonly handOverMs: number }): Promise<readonly DispatchedWork[]> {
    this.#stop.abort(null);
    this.#wake();
    const callOff = this.#options.ports.timers.after(handOverMs, () => this.#handOver());
    await this.#scanning;
    await Promise.allSettled(this.#working);
    callOff();
    return this.#handedOver;
  }

  async #workAt(desk: WorkDesk, key: SessionKey): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const answer = await desk.take(key);
      if (answer.kind === "gave-up") continue;
      if (answer.kind !== "taken") return;
      const { turn } = answer;
      this.#turns.set(turn, key);
      if (this.#isHandingOver) turn.handOver();
      await turn.done;
      this.#turns.delete(turn);
      if (this.#isHandingOver) this.#handedOver.push({ key, id: turn.id });
    }
  }

  #handOver(): void {
    this.#isHandingOver = true;
    for (const turn of this.#turns.keys()) turn.handOver();
  }

  async #scan(): Promise<void> {
    const { timers, random } = this.#options.ports;
    const { signal } = this.#stop;
    for (let scans = 1; !signal.aborted; scans += 1) {
      this.#isWanted = false;
      for (const desk of this.#options.desks) {
        await this.#takeDue(desk, scans).catch(this.#options.trouble);
      }
      await timers.sleep(LEAST_PAUSE_MS, { signal }).catch(() => {});
      await this.#pause(this.#options.scanMs * (0.5 + random.next()) - LEAST_PAUSE_MS);
    }
  }

  async #takeDue(desk: WorkDesk, scans: number): Promise<void> {
    if (!this.#options.slots.hasRoom) {
      this.#isWanted = true;
      return;
    }
    for (const key of await desk.findDue(MOST_DUE)) {
      if (this.#stop.signal.aborted) return;
      this.work(key).catch(this.#options.trouble);
    }
    if (scans % SWEEP_EVERY_SCANS === 0) await desk.sweep();
  }

  // Until the time is over, or a slot becomes free that was asked for.
  async #pause(milliseconds: number): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort(null);
    if (this.#stop.signal.aborted) return;
    await this.#options.ports.timers
      .sleep(milliseconds, { signal: woken.signal, inBackground: true })
      .catch(() => {});
    this.#wake = () => {};
  }
}
