import type { Claim, Ledger, NumberedEvent, RunEvent, SessionKey } from "../ledger/index.ts";

export interface EventWriterOptions {
  readonly ledger: Ledger;
  readonly key: SessionKey;
  readonly claim: Claim;
  /** Called for each event once it is durable, in order. */
  readonly publish: (event: NumberedEvent) => void;
  /** Called when another worker has the turn: nothing more of this one will be written. */
  readonly fenced: () => void;
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

  /** Stops writing and hands over what is left: the commit that ends the turn writes it. */
  async takeRest(): Promise<{ readonly events: readonly RunEvent[]; readonly nextSeq: number }> {
    this.#isClosing = true;
    this.#wake?.();
    await this.#writing;
    return { events: this.#waiting, nextSeq: this.#nextSeq };
  }

  async #writeAll(): Promise<void> {
    const { ledger, key, claim, publish, fenced } = this.#options;
    while (!this.#isClosing && this.#waiting.length > 0) {
      const events = this.#waiting;
      this.#waiting = [];
      this.#characters = 0;
      const seq = this.#nextSeq;
      const outcome = await ledger.appendEvents(key, claim, { seq, events });
      if (outcome === "fenced") {
        this.#isFenced = true;
        fenced();
        return;
      }
      this.#nextSeq = seq + events.length;
      for (const [index, event] of events.entries()) publish({ seq: seq + index, event });
      await this.#pause();
    }
    this.#writing = undefined;
  }

  async #pause(): Promise<void> {
    const { timers } = this.#options.ledger.ports;
    let callOff = (): void => {};
    await new Promise<void>((wake) => {
      this.#wake = wake;
      callOff = timers.after(BATCH_MS, wake);
    });
    callOff();
    this.#wake = undefined;
  }
}
