import type { Ports } from "../ledger/index.ts";
import type { HttpLimits } from "./http-limits.ts";

export interface SseOptions {
  readonly limits: Pick<HttpLimits, "pingMs" | "stallMs">;
  readonly timers: Ports["timers"];
  /** What an idle stream says now and then. */
  readonly ping: string;
  /** Ends the stream, without a word, after this time; it goes on as long as there is something to say, unless told. */
  readonly mostMs?: number;
  /** Called once, when nobody reads any more or all was said. */
  readonly onEnd: () => void;
}

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-content-type-options": "nosniff",
  // For proxies that would collect the stream before passing it on.
  "x-accel-buffering": "no",
};

/**
 * Streams frames as the reader takes them. Nothing is fetched ahead of the reader; one that stops reading for too long is dropped, and whoever makes
 * the frames learns of it by `return`.
 */
export function sseResponse(frames: AsyncIterable<string>, options: SseOptions): Response {
  return new Response(new ReadableStream(new SseSource(frames, options), { highWaterMark: 1 }), {
    headers: HEADERS,
  });
}

const utf8 = new TextEncoder();
const PING: unique symbol = Symbol("ping");

class SseSource implements UnderlyingDefaultSource<Uint8Array> {
  readonly #frames: AsyncIterator<string>;
  readonly #options: SseOptions;
  #next: Promise<IteratorResult<string>> | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #stopStall: () => void = () => {};
  #stopLife: () => void = () => {};
  #isOver = false;

  constructor(frames: AsyncIterable<string>, options: SseOptions) {
    this.#frames = frames[Symbol.asyncIterator]();
    this.#options = options;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { mostMs, timers } = this.#options;
    this.#controller = controller;
    if (mostMs !== undefined) this.#stopLife = timers.after(mostMs, () => this.#close());
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#stopStall();
    this.#next ??= this.#frames.next();
    try {
      const result = await this.#frameOrPing(this.#next);
      if (this.#isOver) return;
      if (result === PING) controller.enqueue(utf8.encode(this.#options.ping));
      else this.#say(controller, result);
    } catch (error) {
      if (this.#isOver) return;
      this.#end();
      controller.error(error);
    }
  }

  cancel(): void {
    this.#end();
  }

  #say(
    controller: ReadableStreamDefaultController<Uint8Array>,
    result: IteratorResult<string>,
  ): void {
    this.#next = undefined;
    if (result.done) return this.#close();
    controller.enqueue(utf8.encode(result.value));
    const { limits, timers } = this.#options;
    this.#stopStall = timers.after(limits.stallMs, () => this.#drop());
  }

  async #frameOrPing(
    next: Promise<IteratorResult<string>>,
  ): Promise<IteratorResult<string> | typeof PING> {
    const { limits, timers } = this.#options;
    return await new Promise((resolve, reject) => {
      const stopPing = timers.after(limits.pingMs, () => resolve(PING));
      next.then(resolve, reject).finally(stopPing);
    });
  }

  #close(): void {
    if (this.#isOver) return;
    this.#end();
    this.#controller?.close();
  }

  #drop(): void {
    if (this.#isOver) return;
    this.#end();
    this.#controller?.error(new Error("The reader stopped reading."));
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopStall();
    this.#stopLife();
    // A frame that is still awaited must not keep the one who makes it.
    this.#frames.return?.().catch(() => {});
    this.#options.onEnd();
  }
}
