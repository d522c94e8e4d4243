import { SseDecoder, type SseMessage } from "../protocol/index.ts";
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

  constructor(ports: ClientPorts, options: LineOptions) {
    this.#ports = ports;
    this.#options = options;
    const { signal } = options;
    if (signal?.aborted) this.#leave();
    signal?.addEventListener("abort", this.#leave);
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
    this.#options.signal?.removeEventListener("abort", this.#leave);
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

  readonly #leave = (): void => this.#gone.abort(this.#options.signal?.reason);

  #wait(): void {
    const { silenceMs } = this.#options;
    this.#stopWaiting();
    if (silenceMs === undefined) return;
    const silent = new Error("The server says nothing.");
    this.#stopWaiting = this.#ports.after(silenceMs, () => this.#gone.abort(silent));
  }
}
