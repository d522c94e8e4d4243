import { clearTimeout, setTimeout } from "node:timers";
import { TurnkeepError, UnknownOutcomeError } from "../../ledger/index.ts";
import { storeClosed } from "../store-closed.ts";
import { isCluster, type RedisClient, type RedisNode } from "./redis-client.ts";
import type { RedisScript } from "./redis-script.ts";
import { isMissingScript, isReply, toStoreError } from "./to-store-error.ts";

type Values = readonly (string | number)[];

/** Runs commands and scripts on somebody's client, each within a time, and tells what their failing means. */
export class RedisConnection {
  readonly client: RedisClient;
  readonly #timeoutMs: number;
  readonly #lossEvent: "-node" | "close";
  readonly #countLoss = (): void => {
    this.#losses += 1;
  };
  #losses = 0;

  constructor(client: RedisClient, timeoutMs: number) {
    this.client = client;
    this.#timeoutMs = timeoutMs;
    this.#lossEvent = isCluster(client) ? "-node" : "close";
    client.on(this.#lossEvent, this.#countLoss);
  }

  /** Rejects with a `TurnkeepError`. */
  async call(command: string, values: Values): Promise<unknown> {
    try {
      return await this.#send(command, values);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  /** Rejects with a `TurnkeepError`. */
  async run(script: RedisScript, keys: readonly string[], values: Values): Promise<unknown> {
    try {
      return await this.#evaluate(script, keys, values);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  /**
   * Runs a script that must not be taken for done or not done when nobody knows. A client may send a command again after it lost its
   * connection, and a commit that finds its own work then answers "conflict": after a loss, that means nothing.
   */
  async runOnce(script: RedisScript, keys: readonly string[], values: Values): Promise<unknown> {
    const losses = this.#losses;
    let answer: unknown;
    try {
      answer = await this.#evaluate(script, keys, values);
    } catch (error) {
      throw isReply(error) || TurnkeepError.is(error)
        ? toStoreError(error)
        : new UnknownOutcomeError(error);
    }
    if (answer === "conflict" && this.#losses !== losses) throw new UnknownOutcomeError(undefined);
    return answer;
  }

  /** Asks one server. Rejects with whatever its client says. */
  ask(node: RedisNode, command: string, values: Values): Promise<unknown> {
    return this.#within(node.call(command, [...values]));
  }

  /** Leaves the client as it was found. */
  letGo(): void {
    this.client.off(this.#lossEvent, this.#countLoss);
  }

  async #evaluate(script: RedisScript, keys: readonly string[], values: Values): Promise<unknown> {
    const rest = [keys.length, ...keys, ...values];
    try {
      return await this.#send("evalsha", [script.sha, ...rest]);
    } catch (error) {
      if (!isMissingScript(error)) throw error;
      return this.#send("eval", [script.source, ...rest]);
    }
  }

  #send(command: string, values: Values): Promise<unknown> {
    // A client that has ended does not come back.
    if (this.client.status === "end") return Promise.reject(storeClosed());
    return this.#within(this.client.call(command, [...values]));
  }

  #within(work: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`Redis did not answer within ${this.#timeoutMs} ms.`)),
        this.#timeoutMs,
      );
      work.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}
