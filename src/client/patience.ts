import { TurnkeepError } from "../protocol/index.ts";
import { type ClientPorts, sleep } from "./client-ports.ts";

/** Told to `onReconnect`. */
export interface Reconnect {
  /** Which attempt without anything new follows, from 1. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly error: unknown;
}

export interface PatienceOptions {
  readonly ports: ClientPorts;
  /** How often to try again without anything new in between. */
  readonly attempts: number;
  readonly onReconnect?: ((reconnect: Reconnect) => void) | undefined;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;
const LONGEST_ASKED_DELAY_MS = 60_000;
// A connection that lasted as long did its work, though nothing may have been said.
const LASTED_MS = 5000;
const PASSING = /^(UNAVAILABLE|UNKNOWN|INTERNAL|RESOURCE_EXHAUSTED|DEADLINE_EXCEEDED)$/;

/** Decides whether something that failed is tried again, and when. */
export class Patience {
  readonly #options: PatienceOptions;
  readonly #isRepeatable: boolean;
  #failures = 0;
  #since: number;

  /** What cannot be repeated is tried again only where the server refused it and says when to come back. */
  constructor(options: PatienceOptions, isRepeatable = true) {
    this.#options = options;
    this.#isRepeatable = isRepeatable;
    this.#since = options.ports.now();
  }

  /** Something new came: whatever fails now, fails for the first time. */
  renew(): void {
    this.#failures = 0;
  }

  /**
   * Waits before the next try.
   *
   * @throws TurnkeepError when there is no use in another one; the signal's reason when that aborts.
   */
  async pause(cause: unknown, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { ports, attempts, onReconnect } = this.#options;
    if (ports.now() - this.#since >= LASTED_MS) this.renew();
    this.#failures += 1;
    const attempt = this.#failures;
    const error = toError(cause);
    const askedMs = Math.min(Number(error.details["retryAfterMs"] ?? 0), LONGEST_ASKED_DELAY_MS);
    const isSafe = this.#isRepeatable || askedMs > 0;
    if (attempt > attempts || !isSafe || !isPassing(error)) throw error;
    // Full jitter, so that all who lost one server do not come back at once.
    const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
    const delayMs = askedMs + ports.random() * longest;
    onReconnect?.({ attempt, delayMs, error });
    await sleep(ports, delayMs, signal);
    this.#since = ports.now();
  }
}

function isPassing({ status, reason }: TurnkeepError): boolean {
  return PASSING.test(status) && reason !== "LIMIT_EXCEEDED";
}

/** The error as ours: what is none of ours is the network's. */
export function toError(cause: unknown): TurnkeepError {
  if (TurnkeepError.is(cause)) return cause;
  const message = "The server cannot be reached.";
  return new TurnkeepError("UNAVAILABLE", message, { cause, retryable: true });
}
