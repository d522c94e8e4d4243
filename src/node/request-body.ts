import type { IncomingMessage } from "node:http";

// What nobody wants of a body is read up to here, so that its sender sees the answer; then the connection is cut.
const MOST_PASSED_OVER = 16 * 1024 * 1024;

/** The body as the handler reads it, whether or not somebody has parsed it already. */
export function bodyOf(incoming: IncomingMessage & { readonly body?: unknown }): BodyInit {
  const { body } = incoming;
  if (!incoming.readableEnded || body === undefined) return streamOf(incoming);
  if (typeof body === "string" || body instanceof Uint8Array) return body as BodyInit;
  return JSON.stringify(body);
}

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
    const onData = (piece: Uint8Array): void => {
      controller.enqueue(piece);
      incoming.pause();
    };
    const onEnd = (): void => {
      this.#stop();
      controller.close();
    };
    const onClose = (): void => {
      this.#stop();
      controller.error(new Error("The connection was closed."));
    };
    this.#stop = () => void incoming.off("data", onData).off("end", onEnd).off("close", onClose);
    incoming.on("error", () => {});
    if (incoming.readableEnded) onEnd();
    else if (incoming.destroyed) onClose();
    else incoming.pause().on("data", onData).on("end", onEnd).on("close", onClose);
  }

  pull(): void {
    this.#incoming.resume();
  }

  cancel(): void {
    this.#stop();
  }
}
