import type { Ports } from "../ledger/index.ts";
import type { HttpLimits } from "./http-limits.ts";

export interface StreamKind {
  /** Server-sent events, unless told. */
  readonly contentType?: string;
  /** What an idle stream says now and then; nothing, unless told. */
  readonly ping?: string;
  /** Ends the stream, without a word, after this time; it goes on as long as there is something to say, unless told. */
  readonly mostMs?: number;
}

export interface StreamOptions extends StreamKind {
  readonly limits: Pick<HttpLimits, "pingMs" | "stallMs">;
  readonly timers: Ports["timers"];
  /** Called once, when nobody reads any more or all was said. */
  readonly onEnd: () => void;
}

/**
 * Streams pieces of text as the reader takes them. Nothing is fetched ahead of the reader; one that stops reading for too long is dropped, and whoever
 * makes the pieces learns of it by `return`.
 */
export function streamResponse(pieces: AsyncIterable<string>, options: StreamOptions): Response {
  const source = new PieceSource(pieces, options);
  return new Response(new ReadableStream(source, { highWaterMark: 1 }), {
    headers: {
      "content-type": options.contentType ?? "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-content-type-options": "nosniff",
      // For proxies that would collect the stream before passing it on.
      "x-accel-buffering": "no",
    },
  });
}

const utf8 = new TextEncoder();
const PING: unique symbol = Symbol("ping");

class PieceSource implements UnderlyingDefaultSource<Uint8Array> {
  readonly #pieces: AsyncIterator<string>;
  readonly #options: StreamOptions;
  #next: Promise<IteratorResult<string>> | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #stopStall: () => void = () => {};
  #stopLife: () => void = () => {};
  #isOver = false;

  constructor(pieces: AsyncIterable<string>, options: StreamOptions) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#options = options;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { mostMs, timers } = this.#options;
    this.#controller = controller;
    if (mostMs !== undefined) this.#stopLife = timers.after(mostMs, () => this.#close());
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#stopStall();
    this.#next ??= this.#pieces.next();
    try {
      const result = await this.#pieceOrPing(this.#next);
      if (this.#isOver) return;
      if (result === PING) this.#say(controller, this.#options.ping ?? "");
      else this.#pass(controller, result);
    } catch (error) {
      if (this.#isOver) return;
      this.#end();
      controller.error(error);
    }
  }

  cancel(): void {
    this.#end();
  }

  #pass(
    controller: ReadableStreamDefaultController<Uint8Array>,
    { done, value }: IteratorResult<string>,
  ): void {
    this.#next = undefined;
    if (done) this.#close();
    else this.#say(controller, value);
  }

  #say(controller: ReadableStreamDefaultController<Uint8Array>, text: string): void {
    const { limits, timers } = this.#options;
    controller.enqueue(utf8.encode(text));
    this.#stopStall = timers.after(limits.stallMs, () => this.#drop());
  }

  async #pieceOrPing(
    next: Promise<IteratorResult<string>>,
  ): Promise<IteratorResult<string> | typeof PING> {
    const { limits, timers, ping } = this.#options;
    if (ping === undefined) return await next;
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
    // A piece that is still awaited must not keep the one who makes it.
    this.#pieces.return?.().catch(() => {});
    this.#options.onEnd();
  }
}
