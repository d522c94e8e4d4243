import { onAbort, SseDecoder, type SseMessage } from "../protocol/index.ts";
import type { ClientPorts } from "./client-ports.ts";

export interface LineOptions {
  readonly signal?: AbortSignal | undefined;
  readonly silenceMs?: number | undefined;
}

/** An open request and its answer. It ends by its signal, or when nothing is heard for too long: the other side may be gone without a word. */
export class Line {
  readonly #ports: ClientPorts;
  readonly #options: LineOptions;
  readonly #gone = new AbortController();
  #body: ReadableStream<Uint8Array> | null = null;
  #stopWaiting: () => void = () => {};
  #forget: () => void = () => {};

  constructor(ports: ClientPorts, options: LineOptions) {
    this.#ports = ports;
    this.#options = options;
    const { signal } = options;
    if (signal) this.#forget = onAbort(signal, () => this.#gone.abort(signal.reason));
    this.#wait();
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  take({ body }: Response): void {
    this.#body = body;
    this.#wait();
  }

  end(): void {
    this.#stopWaiting();
    this.#forget();
    this.#gone.abort(null);
  }

  /** The bytes of the answer as they come. Leaving the loop ends the line. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    // Not every runtime lets a body be iterated.
    const reader = this.#body?.getReader();
    try {
      for (;;) {
        const piece = await reader?.read();
        if (piece === undefined || piece.done) return;
        this.#wait();
        yield piece.value;
      }
    } finally {
      this.end();
      reader?.cancel().catch(() => {});
    }
  }

  /** The messages of an event stream, until it ends, in whatever way. */
  async *messages(): AsyncGenerator<SseMessage> {
    const decoder = new SseDecoder();
    for await (const piece of this.pieces()) yield* decoder.push(piece);
  }

  #wait(): void {
    const { silenceMs } = this.#options;
    this.#stopWaiting();
    if (silenceMs === undefined) return;
    const silent = new Error("The server says nothing.");
    this.#stopWaiting = this.#ports.after(silenceMs, () => this.#gone.abort(silent));
  }
}
