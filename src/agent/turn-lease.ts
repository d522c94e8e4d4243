import type { Claim, Ledger, SessionKey } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";

export interface TurnLeaseOptions {
  readonly ledger: Ledger;
  readonly key: SessionKey;
  readonly claim: Claim;
  readonly leaseMs: number;
  /** Called when the turn was detached, or given more inputs, by another process. */
  readonly extended: (turn: { readonly inputs: number; readonly detached: boolean }) => void;
}

// Most turns are over before anybody could want to stop them; watching for that begins when one lasts.
const WATCH_AFTER_MS = 100;

/** Keeps a turn's claim alive while it is worked on, and says by a signal when it is lost: the turn was aborted, or another worker has it. */
export class TurnLease {
  readonly #options: TurnLeaseOptions;
  readonly #lost = new AbortController();
  readonly #over = new AbortController();

  constructor(options: TurnLeaseOptions) {
    this.#options = options;
    // Whatever goes wrong in there ends in a lost lease; nothing is left to report.
    void this.#keepAlive().catch((error: unknown) => this.lose(error));
    void this.#watch().catch(() => {});
  }

  /** Aborts when the turn is no longer this worker's, with the reason. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  lose(reason: unknown): void {
    if (!this.#over.signal.aborted) this.#lost.abort(reason);
    this.end();
  }

  /** The turn is over: no more heartbeats. */
  end(): void {
    this.#over.abort();
  }

  async #keepAlive(): Promise<void> {
    const { ledger, leaseMs } = this.#options;
    const { timers } = ledger.ports;
    for (;;) {
      await timers
        .sleep(leaseMs / 3, { signal: this.#over.signal, inBackground: true })
        .catch(() => {});
      if (this.#over.signal.aborted) return;
      // A worker that cannot reach its store for two thirds of a lease stops itself before another one begins.
      const tooLate = timers
        .sleep(leaseMs / 3, { signal: this.#over.signal, inBackground: true })
        .then(
          () => "late" as const,
          () => "over" as const,
        );
      const renewed = await Promise.race([this.#renew(), tooLate]);
      if (renewed === "late") return this.lose(lostContact());
    }
  }

  async #renew(): Promise<void> {
    const { ledger, key, claim, extended } = this.#options;
    const renewed = await ledger.renew(key, claim);
    if (renewed.kind === "renewed") extended(renewed);
    else this.lose(renewed.kind === "stopped" ? turnAborted() : turnTaken());
  }

  async #watch(): Promise<void> {
    const { ledger, key, claim, extended } = this.#options;
    const { signal } = this.#over;
    await ledger.ports.timers.sleep(WATCH_AFTER_MS, { signal, inBackground: true });
    const hints = ledger.store.watch(key, { signal })[Symbol.asyncIterator]();
    while (!(await hints.next()).done) {
      const { record } = await ledger.store.load(key);
      const active = record?.active;
      if (active?.snapshotId !== claim.snapshotId || active.epoch !== claim.epoch) {
        return this.lose(turnTaken());
      }
      if (active.stopping) return this.lose(turnAborted());
      extended({ inputs: active.inputs ?? 1, detached: active.detached ?? false });
    }
  }
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
