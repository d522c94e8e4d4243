import type { Clock } from "../ledger/index.ts";

export interface RateLimiterOptions {
  readonly perSecond: number;
  /** How many at once after a pause. */
  readonly burst: number;
  readonly clock: Clock;
}

// As many callers are remembered; one that was forgotten starts anew.
const MAX_CALLERS = 10_000;

/** A token bucket for each caller. */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  /** Takes one token; whether there was one. */
  take(caller: string): boolean {
    const { perSecond, burst, clock } = this.#options;
    const now = clock.now();
    const { tokens, at } = this.#buckets.get(caller) ?? { tokens: burst, at: now };
    const refilled = Math.min(burst, tokens + ((now - at) / 1000) * perSecond);
    if (refilled < 1) return false;
    // To the end, so that the first one is the longest unused.
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { tokens: refilled - 1, at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_CALLERS && oldest !== undefined) this.#buckets.delete(oldest);
    return true;
  }
}
