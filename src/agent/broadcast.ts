import { TurnkeepError } from "../protocol/index.ts";
import { InputChannel, type InputChannelOptions } from "./input-channel.ts";

/** How to take part in a `Broadcast`. */
export type SubscribeOptions = {
  /** Ends the subscription; its reader gets the signal's reason. */
  readonly signal?: AbortSignal;
};

/**
 * Sends each item to every subscriber. Each has a buffer of its own; one that lets it run over gets what is in it, then an
 * error, and is dropped. The publisher never waits for anybody.
 */
export class Broadcast<Item> {
  readonly #options: InputChannelOptions<Item>;
  readonly #subscriptions = new Set<Subscription<Item>>();
  #end: ((channel: InputChannel<Item>) => void) | undefined;

  /** The limit is that of each subscriber's buffer. */
  constructor(options: InputChannelOptions<Item> = {}) {
    this.#options = options;
  }

  /** How many are listening. */
  get subscribers(): number {
    return this.#subscriptions.size;
  }

  /** Sends an item to all that are subscribed now. After the end nobody is, so it does nothing. */
  publish(item: Item): void {
    for (const subscription of this.#subscriptions) subscription.take(item);
  }

  /** Everything published from this call on, until the reader breaks out of its loop. To be read once. */
  subscribe({ signal }: SubscribeOptions = {}): AsyncIterableIterator<Item, undefined> {
    const channel = new InputChannel(this.#options);
    const subscription: Subscription<Item> = new Subscription({
      channel,
      signal,
      leave: () => this.#subscriptions.delete(subscription),
    });
    if (this.#end === undefined) subscription.join(this.#subscriptions);
    else this.#end(channel);
    return subscription;
  }

  /** Ends all subscriptions, those to come too, each after what is in its buffer. Ending again does nothing. */
  close(): void {
    this.#finish((channel) => channel.close());
  }

  /** Ends all subscriptions, those to come too, each with this error after what is in its buffer. */
  fail(error: unknown): void {
    this.#finish((channel) => channel.fail(error));
  }

  #finish(end: (channel: InputChannel<Item>) => void): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    for (const subscription of this.#subscriptions) subscription.finish(end);
  }
}

type Membership<Item> = {
  readonly channel: InputChannel<Item>;
  readonly signal: AbortSignal | undefined;
  readonly leave: () => void;
};

class Subscription<Item> implements AsyncIterableIterator<Item, undefined> {
  readonly #channel: InputChannel<Item>;
  readonly #signal: AbortSignal | undefined;
  readonly #leave: () => void;
  readonly #stop = (): void => this.finish((channel) => channel.fail(this.#signal?.reason));
  #isDone = false;

  constructor({ channel, signal, leave }: Membership<Item>) {
    this.#channel = channel;
    this.#signal = signal;
    this.#leave = leave;
  }

  join(subscriptions: Set<Subscription<Item>>): void {
    if (this.#signal?.aborted) return;
    subscriptions.add(this);
    this.#signal?.addEventListener("abort", this.#stop, { once: true });
  }

  take(item: Item): void {
    if (!this.#channel.offer(item)) this.finish((channel) => channel.fail(fellBehind()));
  }

  finish(end: (channel: InputChannel<Item>) => void): void {
    this.#leave();
    this.#signal?.removeEventListener("abort", this.#stop);
    end(this.#channel);
  }

  async next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#isDone) return { done: true, value: undefined };
    // What is still in the buffer was published before, but who aborts wants no more.
    if (this.#signal?.aborted) throw this.#signal.reason;
    return this.#channel.next();
  }

  async return(): Promise<IteratorResult<Item, undefined>> {
    this.#isDone = true;
    this.finish((channel) => channel.close());
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

function fellBehind(): TurnkeepError {
  return new TurnkeepError(
    "RESOURCE_EXHAUSTED",
    "This reader is too slow, and was dropped. Attach again from the last event it saw.",
    { reason: "QUEUE_FULL", retryable: true },
  );
}
