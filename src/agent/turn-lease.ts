import type { Claim, Ledger, SeenSession, SessionKey } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { eventPace } from "./event-pace.ts";
import { isPassing } from "./is-passing.ts";
import { StopSwitch } from "./stop-switch.ts";

/** A turn as the store has it: the input it is at, and how many it has left. */
export interface HeldTurn {
  readonly turn: number;
  readonly inputs: number;
  readonly detached: boolean;
}

export interface TurnLeaseOptions {
  readonly ledger: Ledger;
  readonly key: SessionKey;
  readonly claim: Claim;
  /** What the turn's run saw last of the session. */
  readonly seen?: SeenSession;
  readonly leaseMs: number;
  /** Called when the turn was detached, or given more inputs, by another process. */
  readonly extended: (turn: HeldTurn) => void;
}

// Most turns are over before anybody could want to stop them or take them over; minding that begins when one lasts.
const WATCH_AFTER_MS = 100;
const LONGEST_PAUSE_MS = 250;
// A turn that streams is told of each of its own events. Each of them that was written proves that the turn is still held, so that nothing need be looked
// for; what others did to it is looked for when no batch was written for longer than one takes.
const LOOK_EVERY_MS = 50;

/** Keeps a turn's claim alive while it is worked on, and says by a signal when it is lost: the turn was aborted, or another worker has it. */
export class TurnLease {
  readonly #options: TurnLeaseOptions;
  /** Stops when the turn is no longer this worker's, with the reason. */
  readonly lost: StopSwitch = new StopSwitch();
  #watching: AbortController | undefined;
  /** The turn is being ended by this worker, whose commit says how it stands: what the store tells meanwhile may be that very commit. */
  isEnding = false;
  /** Something was written for the turn since it was last looked at. */
  isProven = false;
  #isOver = false;
  // One timer at first, since most turns are over before it fires.
  #cancelBeat: () => void;
  #cancelDeadline: () => void = () => {};
  #cancelLook: () => void = () => {};

  constructor(options: TurnLeaseOptions) {
    this.#options = options;
    const { timers } = options.ledger.ports;
    const firstMs = Math.min(WATCH_AFTER_MS, options.leaseMs / 3);
    this.#cancelBeat = timers.after(firstMs, () => this.#settleIn(firstMs));
  }

  lose(reason: unknown): void {
    if (this.#isOver) return;
    this.end();
    this.lost.stop(reason);
  }

  /** Finds out why a write was refused: then the signal aborts with the reason. */
  async check(): Promise<void> {
    if (!this.#isOver) await this.#renew().catch(() => this.lose(turnTaken()));
  }

  /**
   * Does something to the store, again and again while it is away, as long as the turn is held.
   *
   * @throws what the store refuses it with, or why the turn was lost.
   */
  insist<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    return work().catch((error: unknown) => this.#tryAgain(work, error));
  }

  /** The turn is over: no more heartbeats. */
  end(): void {
    this.#isOver = true;
    this.#cancelBeat();
    this.#cancelDeadline();
    this.#cancelLook();
    this.#watching?.abort(null);
  }

  async #tryAgain<Answer>(work: () => Promise<Answer>, first: unknown): Promise<Answer> {
    let error = first;
    for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      if (this.lost.isStopped) throw this.lost.reason;
      if (this.#isOver || !isPassing(error)) throw error;
      const { timers } = this.#options.ledger.ports;
      await timers.sleep(pauseMs, { signal: this.lost.signal });
      try {
        return await work();
      } catch (again) {
        error = again;
      }
    }
  }

  // The turn lasts: from now on it is minded, and kept alive.
  #settleIn(passedMs: number): void {
    const { ledger, leaseMs } = this.#options;
    const { timers } = ledger.ports;
    this.#cancelBeat = timers.after(leaseMs / 3 - passedMs, () => void this.#beat());
    this.#setDeadline((leaseMs * 2) / 3 - passedMs);
    this.#mind();
  }

  // A worker that cannot reach its store for two thirds of a lease stops itself before another one begins.
  #setDeadline(milliseconds: number): void {
    const { timers } = this.#options.ledger.ports;
    this.#cancelDeadline();
    this.#cancelDeadline = timers.after(milliseconds, () => this.lose(lostContact()));
  }

  async #beat(): Promise<void> {
    const { ledger, leaseMs } = this.#options;
    const isAlive = await this.#renew().catch(() => false);
    if (this.#isOver) return;
    if (isAlive) this.#setDeadline((leaseMs * 2) / 3);
    const pause = isAlive ? leaseMs / 3 : leaseMs / 12;
    this.#cancelBeat = ledger.ports.timers.after(pause, () => void this.#beat());
  }

  async #renew(): Promise<boolean> {
    const { ledger, key, claim, seen, extended } = this.#options;
    const renewed = await ledger.renew(key, claim, seen);
    if (renewed.kind === "renewed") extended(renewed);
    else this.lose(renewed.kind === "stopped" ? turnAborted() : turnTaken());
    return true;
  }

  // Watching begins when nothing proves any more that the turn is held; what happened before, it tells at once.
  #mind(): void {
    if (this.#isOver) return;
    if (this.#isDoubtful(() => this.#mind())) unhinted(this.#startWatching());
  }

  async #startWatching(): Promise<void> {
    const { ledger, key } = this.#options;
    this.#watching = new AbortController();
    const hints = ledger.store.watch(key, { signal: this.#watching.signal });
    await this.#watch(hints[Symbol.asyncIterator]());
  }

  async #watch(hints: AsyncIterator<void>): Promise<void> {
    if (!(await hints.next()).done) await this.#lookIfDoubtful(hints);
  }

  async #lookIfDoubtful(hints: AsyncIterator<void>): Promise<void> {
    if (this.#isOver) return;
    if (!this.#isDoubtful(() => unhinted(this.#lookIfDoubtful(hints)))) return;
    await this.#look();
    if (this.#isOver) return;
    const { timers } = this.#options.ledger.ports;
    this.#cancelLook = timers.after(LOOK_EVERY_MS, () => unhinted(this.#watch(hints)));
  }

  // If it is not, `again` is called when the next batch should have been written.
  #isDoubtful(again: () => void): boolean {
    if (!this.isProven) return true;
    this.isProven = false;
    const { timers } = this.#options.ledger.ports;
    this.#cancelLook = timers.after(eventPace.batchMs + LOOK_EVERY_MS, again);
    return false;
  }

  async #look(): Promise<void> {
    const { ledger, key, claim, extended } = this.#options;
    // A store that is away now is asked again at the next hint or heartbeat.
    const view = await ledger.store.load(key).catch(() => undefined);
    if (view === undefined || this.isEnding) return;
    const active = view.record?.active;
    if (active?.snapshotId !== claim.snapshotId || active.epoch !== claim.epoch) {
      return this.lose(turnTaken());
    }
    if (active.stopping) return this.lose(turnAborted());
    const { turn, inputs = 1, detached = false } = active;
    extended({ turn, inputs, detached });
  }
}

// A store that gives no hints, or no more of them, is still asked at every heartbeat.
function unhinted(watching: Promise<void>): void {
  watching.catch(() => {});
}

/** The reason of a signal when the turn was aborted. */
export function turnAborted(): TurnkeepError {
  return new TurnkeepError("CANCELLED", "The run was aborted.", { reason: "RUN_ABORTED" });
}

/** The reason of a signal when the turn is another worker's now. */
export function turnTaken(): TurnkeepError {
  return new TurnkeepError("ABORTED", "Another worker has taken this turn over.", {
    reason: "TURN_TAKEN",
  });
}

function lostContact(): TurnkeepError {
  return new TurnkeepError(
    "UNAVAILABLE",
    "The store did not answer in time; the turn was given up.",
    {
      reason: "TURN_TAKEN",
      retryable: true,
    },
  );
}
