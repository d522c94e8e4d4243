import type { IncomingMessage } from "node:http";

// What nobody wants of a body is read up to here, so that its sender sees the answer; then the connection is cut.
const MOST_PASSED_OVER = 16 * 1024 * 1024;

/** The body as the handler reads it, whether or not somebody has parsed it already. */
export function bodyOf(incoming: IncomingMessage & { readonly body?: unknown }): BodyInit {
  return (parsedBody(incoming) as BodyInit | undefined) ?? streamOf(incoming);
}

export interface BodyReading {
  /** The whole body; `undefined` as soon as it is longer than asked for. Rejects when it breaks off. */
  readonly bytes: Promise<Uint8Array | undefined>;
  /** Whatever is left stays unread. */
  readonly leave: () => void;
}

/** Reads the body as it comes from the socket, whether or not somebody has parsed it already. */
export function readBytes(
  incoming: IncomingMessage & { readonly body?: unknown },
  mostBytes: number,
): BodyReading {
  const parsed = parsedBody(incoming);
  if (parsed !== undefined) {
    const whole = typeof parsed === "string" ? Buffer.from(parsed) : parsed;
    return {
      bytes: Promise.resolve(whole.byteLength > mostBytes ? undefined : whole),
      leave: () => {},
    };
  }
  let leave: (() => void) | undefined;
  const bytes = new Promise<Uint8Array | undefined>((resolve, reject) => {
    const pieces: Uint8Array[] = [];
    let length = 0;
    leave = listen(incoming, {
      onData: (piece) => {
        length += piece.byteLength;
        pieces.push(piece);
        if (length > mostBytes) resolve(undefined);
      },
      onEnd: () => {
        // A connection that closes after that is no broken body.
        leave?.();
        resolve(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));
      },
      onClose: () => reject(new Error("The connection was closed.")),
    });
    incoming.resume();
  });
  return { bytes, leave: () => leave?.() };
}

// What somebody made of the body before.
function parsedBody(
  incoming: IncomingMessage & { readonly body?: unknown },
): string | Uint8Array | undefined {
  const { body } = incoming;
  if (!incoming.readableEnded || body === undefined) return undefined;
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  return JSON.stringify(body);
}

interface BodyListener {
  readonly onData: (piece: Uint8Array) => void;
  readonly onEnd: () => void;
  readonly onClose: () => void;
}

/** Returns how to listen no more. The body flows when it is resumed. */
function listen(incoming: IncomingMessage, { onData, onEnd, onClose }: BodyListener): () => void {
  incoming.on("error", ignore);
  const stop = (): void =>
    void incoming.off("data", onData).off("end", onEnd).off("close", onClose).pause();
  if (incoming.readableEnded) onEnd();
  else if (incoming.destroyed) onClose();
  else incoming.pause().on("data", onData).on("end", onEnd).on("close", onClose);
  return stop;
}

// Not made in place: it stays as long as the answer takes, and with it all that could be seen where it was made, the whole body among it.
function ignore(): void {}

/** Reads on without keeping anything: a connection with an unread body would take no other request. */
export function passOverRest(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.destroyed) return;
  let left = MOST_PASSED_OVER;
  // Whoever read it until now would stop it again.
  incoming.removeAllListeners("data");
  incoming.on("data", (piece: Uint8Array) => {
    left -= piece.byteLength;
    if (left < 0) incoming.destroy();
  });
  incoming.resume();
}

function streamOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream(new BodySource(incoming), { highWaterMark: 0 });
}

/** By hand: Node's own bridge cuts the connection when somebody stops reading, and with it the answer that says why. */
class BodySource implements UnderlyingDefaultSource<Uint8Array> {
  readonly #incoming: IncomingMessage;
  #stop: () => void = () => {};

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const incoming = this.#incoming;
    this.#stop = listen(incoming, {
      onData: (piece) => {
        controller.enqueue(piece);
        incoming.pause();
      },
      onEnd: () => {
        this.#stop();
        controller.close();
      },
      onClose: () => {
        this.#stop();
        controller.error(new Error("The connection was closed."));
      },
    });
  }

  pull(): void {
    this.#incoming.resume();
  }

  cancel(): void {
    this.#stop();
  }
}
