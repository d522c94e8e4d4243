import type { Clock } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import type { HttpLimits } from "./http-limits.ts";
import { RateLimiter } from "./rate-limiter.ts";

/** What a request counts as: one that changes something, or one that only reads. */
export type RequestCost = "read" | "write";

/** How much each caller has used of what it may. Callers that the application does not tell apart are not limited. */
export class Allowance {
  readonly #rates: Readonly<Record<RequestCost, RateLimiter>>;
  readonly #streams: OpenCounter;
  readonly #runs: OpenCounter;

  constructor(limits: HttpLimits, clock: Clock) {
    const { submissionsPerSecond, submissionBurst, readsPerSecond, readBurst } = limits;
    this.#rates = {
      write: new RateLimiter({ perSecond: submissionsPerSecond, burst: submissionBurst, clock }),
      read: new RateLimiter({ perSecond: readsPerSecond, burst: readBurst, clock }),
    };
    this.#streams = new OpenCounter(limits.streams);
    this.#runs = new OpenCounter(limits.concurrentRuns);
  }

  /** @throws TurnkeepError RESOURCE_EXHAUSTED when the caller sends too much. */
  count(cost: RequestCost, caller: string | undefined): void {
    if (caller === undefined || this.#rates[cost].take(caller)) return;
    throw tooMany(
      cost === "write" ? "requests that change something" : "requests",
      "TOO_MANY_REQUESTS",
    );
  }

  /**
   * Counts a stream until the returned function is called.
   *
   * @throws TurnkeepError RESOURCE_EXHAUSTED when the caller has too many open.
   */
  openStream(caller: string | undefined): () => void {
    if (caller === undefined) return () => {};
    return this.#streams.open(caller) ?? refuse("open streams", "TOO_MANY_STREAMS");
  }

  /**
   * Counts a run until the returned function is called.
   *
   * @throws TurnkeepError RESOURCE_EXHAUSTED when the caller has too many under way.
   */
  beginRun(caller: string | undefined): () => void {
    if (caller === undefined) return () => {};
    return this.#runs.open(caller) ?? refuse("runs under way", "TOO_MANY_RUNS");
  }
}

/** How many of something each caller has open. */
class OpenCounter {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns how to close it, or `undefined` when the caller has too many open. */
  open(caller: string): (() => void) | undefined {
    const open = this.#open.get(caller) ?? 0;
    if (open >= this.#most) return undefined;
    this.#open.set(caller, open + 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#close(caller);
      isOpen = false;
    };
  }

  #close(caller: string): void {
    const open = this.#open.get(caller) ?? 0;
    if (open > 1) this.#open.set(caller, open - 1);
    else this.#open.delete(caller);
  }
}

type Reason = "TOO_MANY_REQUESTS" | "TOO_MANY_RUNS" | "TOO_MANY_STREAMS";

function refuse(what: string, reason: Reason): never {
  throw tooMany(what, reason);
}

function tooMany(what: string, reason: Reason): TurnkeepError {
  return new TurnkeepError("RESOURCE_EXHAUSTED", `Too many ${what}. Wait a little.`, {
    reason,
    retryable: true,
  });
}
