/** What is looked at before the body. A `Request` fits. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly get: (name: string) => string | null };
}

/** A request, wherever it came from. A `Request` is made of it only for those who ask. */
export interface IncomingRequest extends RequestHead {
  /** The whole body; `undefined` as soon as it is longer. Rejects when it breaks off. */
  readonly readBytes: (mostBytes: number) => Promise<Uint8Array | undefined>;
  /** Whatever is left of the body stays unread. */
  readonly leaveBody: () => void;
  /** Calls back when nobody is there any more for the answer. */
  readonly onGone: (call: () => void) => void;
  /** For the application's own code, which may read the body too. */
  readonly toRequest: () => Request;
}

/** A request as `fetch` knows it. */
export class WebRequest implements IncomingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly #request: Request;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(request: Request) {
    this.#request = request;
    this.method = request.method;
    this.url = request.url;
    this.headers = request.headers;
  }

  async readBytes(mostBytes: number): Promise<Uint8Array | undefined> {
    this.#reader = this.#request.body?.getReader();
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    while (this.#reader) {
      const { done, value } = await this.#reader.read();
      if (done) break;
      bytes += value.byteLength;
      if (bytes > mostBytes) return undefined;
      pieces.push(value);
    }
    return joined(pieces, bytes);
  }

  leaveBody(): void {
    this.#reader?.cancel().catch(() => {});
  }

  onGone(call: () => void): void {
    this.#request.signal.addEventListener("abort", call, { once: true });
    if (this.#request.signal.aborted) call();
  }

  toRequest(): Request {
    return this.#request;
  }
}

function joined(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
