import { clearInterval, setInterval } from "node:timers";
import type { SessionKey } from "../../ledger/index.ts";
import type { WakeUps } from "../wake-ups.ts";
import { isCluster, type RedisClient } from "./redis-client.ts";

const INTERVAL_MS = 1000;
const PATIENT = {
  lazyConnect: true,
  maxRetriesPerRequest: null,
  autoResendUnfulfilledCommands: true,
} as const;

interface WatchedChannel {
  readonly key: SessionKey;
  watchers: number;
}

/**
 * Hears of changes by messages that the scripts publish, one channel for a session that is watched. Plain messages and not sharded ones: a
 * cluster carries them to all its servers, so that one connection hears everything and nothing moves with the slots.
 *
 * Messages get lost when a connection breaks, so everybody is woken when it is back, and every second in any case.
 */
export class ChangeChannels {
  readonly #client: RedisClient;
  readonly #wakeUps: WakeUps;
  readonly #watched = new Map<string, WatchedChannel>();
  readonly #hear = (channel: string): void => {
    const watched = this.#watched.get(channel);
    if (watched !== undefined) this.#wakeUps.wake(watched.key);
  };
  #subscriber: RedisClient | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(client: RedisClient, wakeUps: WakeUps) {
    this.#client = client;
    this.#wakeUps = wakeUps;
  }

  /** Listens to the channel until what it returns is called, once for each watcher. */
  listen(channel: string, key: SessionKey): () => void {
    const watched = this.#watched.get(channel) ?? { key, watchers: 0 };
    watched.watchers += 1;
    this.#watched.set(channel, watched);
    if (watched.watchers === 1) this.#subscribe(channel, key);
    this.#timer ??= setInterval(() => this.#look(), INTERVAL_MS).unref();
    return () => {
      watched.watchers -= 1;
      if (watched.watchers === 0) this.#unsubscribe(channel);
    };
  }

  close(): void {
    for (const channel of this.#watched.keys()) this.#unsubscribe(channel);
    this.#subscriber?.off("message", this.#hear);
    // That of a cluster belongs to whoever made the cluster.
    if (this.#subscriber !== this.#client) this.#subscriber?.disconnect();
    this.#subscriber = undefined;
  }

  // A connection may be dead without anybody saying so. Its client finds out when it asks something.
  #look(): void {
    this.#wakeUps.wakeAll();
    if (this.#subscriber?.status === "ready") this.#subscriber.call("ping", []).catch(() => {});
  }

  #subscribe(channel: string, key: SessionKey): void {
    this.#subscriber ??= this.#connect();
    this.#subscriber.subscribe(channel).then(
      // What happened until now was not heard.
      () => this.#wakeUps.wake(key),
      () => {},
    );
  }

  #unsubscribe(channel: string): void {
    this.#watched.delete(channel);
    this.#subscriber?.unsubscribe(channel).catch(() => {});
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** A cluster has a connection of its own for messages. Of two stores on one, the first to leave a session takes the messages of it along. */
  #connect(): RedisClient {
    const subscriber = isCluster(this.#client) ? this.#client : this.#client.duplicate(PATIENT);
    subscriber.on("message", this.#hear);
    if (subscriber === this.#client) return subscriber;
    // It comes back by itself; without a listener the client would print its errors.
    subscriber.on("error", () => {});
    subscriber.on("ready", () => {
      // Answered behind the subscriptions that the client makes anew.
      subscriber.call("ping", []).then(
        () => this.#wakeUps.wakeAll(),
        () => {},
      );
    });
    return subscriber;
  }
}
