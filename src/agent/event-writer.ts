import {
  type Claim,
  HeldEvent,
  type Ledger,
  type NumberedEvent,
  type SessionKey,
  type Timers,
} from "../ledger/index.ts";
import { eventPace } from "./event-pace.ts";
import type { TurnLease } from "./turn-lease.ts";

export interface EventWriterOptions {
  readonly ledger: Ledger;
  readonly key: SessionKey;
  readonly claim: Claim;
  /** Called with events once they are durable, in order. */
  readonly publish: (events: readonly NumberedEvent[]) => void;
  readonly lease: TurnLease;
}

// The first event goes out as soon as the handler waits for anything but a promise that is settled already; one that never does is over by then, and
// its events are part of the commit that ends the turn. What comes within the longer time of a batch, or fills one, goes together.
const FIRST_MS = 0;
const BATCH_CHARACTERS = 16 * 1024;

/** What is left for the commit that ends the turn. */
export interface UnwrittenEvents {
  /** As JSON. */
  readonly events: readonly string[];
  /** Of the first of them. */
  readonly nextSeq: number;
}

/** Makes a turn's events durable in batches, and publishes each only then. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  // As JSON: of a thousand streams, many events wait at any time.
  #waiting: string[] = [];
  #characters = 0;
  #nextSeq: number;
  #writing: Promise<void> | undefined;
  /** Calls off the next batch; absent when none is due. */
  #callOff: (() => void) | undefined;
  #isClosing = false;
  #isFenced = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#nextSeq = options.claim.nextSeq;
  }

  /** Takes an event in, as JSON. */
  write(text: string): void {
    if (this.#isFenced) return;
    this.#waiting.push(text);
    this.#characters += text.length;
    if (this.#isClosing || this.#writing) return;
    if (this.#characters >= BATCH_CHARACTERS) this.#writeWaiting();
    else this.#callOff ??= this.#timers.after(FIRST_MS, () => this.#writeWaiting());
  }

  /**
   * Stops writing and hands over what is left: the commit that ends the turn writes it.
   *
   * @throws what the store refused an event with, once.
   */
  takeRest(): Promise<UnwrittenEvents> | UnwrittenEvents {
    this.#isClosing = true;
    this.#cancel();
    // What is known is not awaited.
    return this.#writing ? this.#writing.then(() => this.#unwritten()) : this.#unwritten();
  }

  #unwritten(): UnwrittenEvents {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
    return { events: this.#waiting, nextSeq: this.#nextSeq };
  }

  /** Goes on after what was left was written with the end of an input. */
  continueAt(nextSeq: number): void {
    this.#waiting = [];
    this.#characters = 0;
    this.#nextSeq = nextSeq;
    this.#isClosing = false;
  }

  /** The turn goes on after all. What was left was not written by anybody. */
  reopen(): void {
    this.#isClosing = false;
    if (this.#waiting.length > 0) this.#writeWaiting();
  }

  get #timers(): Timers {
    return this.#options.ledger.ports.timers;
  }

  #cancel(): void {
    this.#callOff?.();
    this.#callOff = undefined;
  }

  #writeWaiting(): void {
    this.#cancel();
    if (this.#isFenced || this.#waiting.length === 0) return;
    this.#writing ??= this.#writeBatch();
  }

  // The same batch again while the store is away: whether the last try was written or not, it is there once.
  async #writeBatch(): Promise<void> {
    const { ledger, key, claim, lease } = this.#options;
    const events = this.#waiting;
    const seq = this.#nextSeq;
    this.#waiting = [];
    this.#characters = 0;
    try {
      const outcome = await lease.insist(() => ledger.appendEvents(key, claim, { seq, events }));
      if (outcome === "ok") {
        lease.isProven = true;
        this.#publish(events);
      } else await this.#giveUp();
    } catch (error) {
      this.#failure ??= { error };
    }
    this.#writing = undefined;
    // Whoever closes while a batch is written waits for that alone.
    if (!this.#isClosing) this.#callOff = eventPace.wait(this.#timers, () => this.#writeWaiting());
  }

  #publish(events: readonly string[]): void {
    const seq = this.#nextSeq;
    this.#nextSeq = seq + events.length;
    this.#options.publish(events.map((text, index) => new HeldEvent(seq + index, text)));
  }

  async #giveUp(): Promise<void> {
    this.#isFenced = true;
    await this.#options.lease.check();
  }
}
