import type { Clock } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import type { HttpLimits } from "./http-limits.ts";

// As many callers are remembered; one that was forgotten starts anew.
const MOST_CALLERS = 10_000;

/** How much each caller has used of what it may. Callers that the application does not tell apart are not limited. */
export class Allowance {
  readonly #limits: HttpLimits;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();
  readonly #streams = new Map<string, number>();

  constructor(limits: HttpLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** @throws TurnkeepError RESOURCE_EXHAUSTED when the caller sends too much. */
  submit(caller: string | undefined): void {
    if (caller === undefined) return;
    const { submissionsPerSecond, submissionBurst } = this.#limits;
    const now = this.#clock.now();
    const { tokens, at } = this.#buckets.get(caller) ?? { tokens: submissionBurst, at: now };
    const refilled = Math.min(submissionBurst, tokens + ((now - at) / 1000) * submissionsPerSecond);
    if (refilled < 1) throw tooMany("inputs", "TOO_MANY_REQUESTS");
    // To the end, so that the first one is the longest unused.
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { tokens: refilled - 1, at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_CALLERS && oldest !== undefined) this.#buckets.delete(oldest);
  }

  /**
   * Counts a stream until the returned function is called.
   *
   * @throws TurnkeepError RESOURCE_EXHAUSTED when the caller has too many open.
   */
  openStream(caller: string | undefined): () => void {
    if (caller === undefined) return () => {};
    const open = this.#streams.get(caller) ?? 0;
    if (open >= this.#limits.streams) throw tooMany("open streams", "TOO_MANY_STREAMS");
    this.#streams.set(caller, open + 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#closeStream(caller);
      isOpen = false;
    };
  }

  #closeStream(caller: string): void {
    const open = this.#streams.get(caller) ?? 0;
    if (open > 1) this.#streams.set(caller, open - 1);
    else this.#streams.delete(caller);
  }
}

function tooMany(what: string, reason: "TOO_MANY_REQUESTS" | "TOO_MANY_STREAMS"): TurnkeepError {
  return new TurnkeepError("RESOURCE_EXHAUSTED", `Too many ${what}. Wait a little.`, {
    reason,
    retryable: true,
  });
}
