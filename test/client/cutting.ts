import { createServer, connect as dial, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Below how many bytes an answer is cut; `undefined` lets it through. */
export type CutAt = () => number | undefined;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A `fetch` whose streams break off: with an error, or without a word. */
export function cuttingFetch(cutAt: CutAt, isQuiet: () => boolean): Fetch & { cuts: () => number } {
  let cuts = 0;
  const send: Fetch = async (url, init) => {
    const response = await fetch(url, init);
    const bytes = isStream(response) ? cutAt() : undefined;
    if (bytes === undefined || response.body === null) return response;
    const { status, headers } = response;
    const onCut = (): void => void (cuts += 1);
    return new Response(cut(response.body, bytes, { onCut, isQuiet: isQuiet() }), {
      status,
      headers,
    });
  };
  return Object.assign(send, { cuts: () => cuts });
}

function isStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

function cut(
  body: ReadableStream<Uint8Array>,
  bytes: number,
  { onCut, isQuiet }: { readonly onCut: () => void; readonly isQuiet: boolean },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = bytes;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      controller.enqueue(value.slice(0, left));
      left -= value.byteLength;
      if (left > 0) return undefined;
      onCut();
      void reader.cancel();
      return isQuiet ? controller.close() : controller.error(new TypeError("cut"));
    },
    cancel: () => reader.cancel(),
  });
}

export interface Proxy {
  readonly port: number;
  readonly cuts: () => number;
}

/** Stands between client and server, and resets connections after so many bytes in either direction. */
export async function cuttingProxy(target: number, cutAt: CutAt): Promise<Proxy> {
  let cuts = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = dial(target, "127.0.0.1");
    let left = cutAt() ?? Number.POSITIVE_INFINITY;
    const pass = (to: Socket) => (piece: Buffer) => {
      to.write(piece.subarray(0, Math.max(0, left)));
      left -= piece.byteLength;
      if (left > 0 || client.destroyed) return;
      cuts += 1;
      client.resetAndDestroy();
      upstream.destroy();
    };
    client.on("data", pass(upstream));
    upstream.on("data", pass(client));
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", () => resolve()));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { port: (server.address() as { port: number }).port, cuts: () => cuts };
}
