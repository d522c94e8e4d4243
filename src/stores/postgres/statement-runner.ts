import { systemTimers, TurnkeepError } from "../../ledger/index.ts";
import type {
  PostgresClient,
  PostgresPool,
  PostgresResult,
  PostgresValue,
} from "./postgres-pool.ts";
import { isRefusal, toStoreError } from "./to-store-error.ts";

export interface TimeLimits {
  readonly connectTimeoutMs: number;
  readonly queryTimeoutMs: number;
}

/** Runs statements on connections of the pool, one each, and gives up on those that do not answer in time. */
export class StatementRunner {
  readonly #pool: PostgresPool;
  readonly #limits: TimeLimits;
  readonly #running = new Set<Promise<unknown>>();

  constructor(pool: PostgresPool, limits: TimeLimits) {
    this.#pool = pool;
    this.#limits = limits;
    // Without an ear for it, the error of a connection that nobody uses ends the process.
    pool.on("error", ignore);
    pool.on("connect", guard);
  }

  /**
   * Runs one statement by itself: one round trip.
   *
   * @throws TurnkeepError, or what `lost` makes of the error if the answer did not come although the statement may have run.
   */
  async run(
    text: string,
    values: PostgresValue[],
    lost: (error: unknown) => Error = toStoreError,
  ): Promise<readonly unknown[]> {
    const { queryTimeoutMs } = this.#limits;
    const { rows } = await this.#track(
      this.withClient(
        (client) => client.query({ text, values, query_timeout: queryTimeoutMs }),
        lost,
      ),
    );
    return rows;
  }

  /** Hands a connection to `work`; afterwards it is used again, unless it failed. */
  async withClient<Result>(
    work: (client: PostgresClient) => Promise<Result>,
    lost: (error: unknown) => Error = toStoreError,
  ): Promise<Result> {
    const client = await this.connect();
    let isBroken = false;
    try {
      return await work(client);
    } catch (error) {
      isBroken = !TurnkeepError.is(error) && !isRefusal(error);
      throw isBroken ? lost(error) : toStoreError(error);
    } finally {
      release(client, isBroken);
    }
  }

  /** A connection that the caller must {@link release}. */
  async connect(): Promise<PostgresClient> {
    const { connectTimeoutMs } = this.#limits;
    const waiting = new AbortController();
    // A pool that was handed in may have no time limit of its own.
    const tooLate = systemTimers.sleep(connectTimeoutMs, { signal: waiting.signal }).then(
      () => "late" as const,
      () => "late" as const,
    );
    const connecting = this.#pool.connect();
    try {
      const client = await Promise.race([connecting, tooLate]);
      if (client === "late") {
        connecting.then((late) => late.release(), ignore);
        throw new Error("timeout exceeded when trying to connect");
      }
      client.on("error", ignore);
      return client;
    } catch (error) {
      throw toStoreError(error);
    } finally {
      waiting.abort();
    }
  }

  /** Resolves when no statement runs any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** Leaves the pool as it was. */
  detach(): void {
    this.#pool.removeListener("error", ignore);
    this.#pool.removeListener("connect", guard);
  }

  #track(work: Promise<PostgresResult>): Promise<PostgresResult> {
    this.#running.add(work);
    const forget = (): void => void this.#running.delete(work);
    work.then(forget, forget);
    return work;
  }
}

/** Gives a connection back, or closes it. */
export function release(client: PostgresClient, isBroken: boolean): void {
  // A connection that was closed may still tell of an error.
  if (!isBroken) client.removeListener("error", ignore);
  client.release(isBroken);
}

// A server may say in one breath that a connection is ready and that it ends; who asked for it hears of the first only after the second.
function guard(client: PostgresClient): void {
  client.on("error", ignore);
}

function ignore(): void {
  // Whoever waits for an answer on the connection is told by a rejection.
}
