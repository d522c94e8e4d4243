import type { Claim, Ledger, NumberedEvent, RunEvent, SessionKey } from "../ledger/index.ts";
import type { TurnLease } from "./turn-lease.ts";

export interface EventWriterOptions {
  readonly ledger: Ledger;
  readonly key: SessionKey;
  readonly claim: Claim;
  /** Called for each event once it is durable, in order. */
  readonly publish: (event: NumberedEvent) => void;
  readonly lease: TurnLease;
}

// The first event goes out at once; what comes within this time of it, or fills a batch, goes together.
const BATCH_MS = 25;
const BATCH_CHARACTERS = 16 * 1024;

/** Makes a turn's events durable in batches, and publishes each only then. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  #waiting: RunEvent[] = [];
  #characters = 0;
  #nextSeq: number;
  #writing: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #isClosing = false;
  #isFenced = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#nextSeq = options.claim.nextSeq;
  }

  write(event: RunEvent): void {
    if (this.#isFenced) return;
    this.#waiting.push(event);
    this.#characters += JSON.stringify(event).length;
    if (this.#characters >= BATCH_CHARACTERS) this.#wake?.();
    this.#writing ??= this.#writeAll();
  }

  /**
   * Stops writing and hands over what is left: the commit that ends the turn writes it.
   *
   * @throws what the store refused an event with, once.
   */
  async takeRest(): Promise<{ readonly events: readonly RunEvent[]; readonly nextSeq: number }> {
    this.#isClosing = true;
    this.#wake?.();
    await this.#writing;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
    return { events: this.#waiting, nextSeq: this.#nextSeq };
  }

  /** The turn goes on after all. What was left was not written by anybody. */
  reopen(): void {
    this.#isClosing = false;
    if (this.#waiting.length > 0) this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    while (!this.#isClosing && !this.#isFenced && this.#waiting.length > 0) {
      const events = this.#waiting;
      this.#waiting = [];
      this.#characters = 0;
      await this.#write(events).catch((error: unknown) => {
        this.#failure ??= { error };
      });
      // Whoever closes while a batch is written waits for that alone.
      if (!this.#isClosing) await this.#pause();
    }
    this.#writing = undefined;
  }

  // The same batch again while the store is away: whether the last try was written or not, it is there once.
  async #write(events: readonly RunEvent[]): Promise<void> {
    const { ledger, key, claim, publish, lease } = this.#options;
    const seq = this.#nextSeq;
    const outcome = await lease.insist(() => ledger.appendEvents(key, claim, { seq, events }));
    if (outcome === "fenced") {
      this.#isFenced = true;
      return await lease.check();
    }
    this.#nextSeq = seq + events.length;
    for (const [index, event] of events.entries()) publish({ seq: seq + index, event });
  }

  async #pause(): Promise<void> {
    const { timers } = this.#options.ledger.ports;
    await new Promise<void>((resume) => {
      const callOff = timers.after(BATCH_MS, resume);
      this.#wake = () => {
        callOff();
        resume();
      };
    });
    this.#wake = undefined;
  }
}
