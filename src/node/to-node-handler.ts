import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { Handler } from "../http/index.ts";

/** Answers a request of Node's `http`, Express or Connect. */
export type NodeHandler = (request: NodeRequest, response: ServerResponse) => Promise<void>;

/** A request whose body somebody may have parsed already, as `express.json()` does. */
export type NodeRequest = IncomingMessage & {
  readonly body?: unknown;
  readonly originalUrl?: string;
};

/** Serves a handler where requests come from Node's `http`: also in Express, before or after `express.json()`. */
export function toNodeHandler(handler: Handler): NodeHandler {
  return async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.on("close", () => gone.abort(null));
    const request = findRequest(incoming, gone.signal);
    const response = request ? await handler(request) : new Response(null, { status: 400 });
    await send(response, outgoing);
  };
}

// `undefined` for what no `Request` can say, such as a host that is no host.
function findRequest(incoming: NodeRequest, signal: AbortSignal): Request | undefined {
  try {
    const { method = "GET", headers, originalUrl, url = "/" } = incoming;
    const target = new URL(originalUrl ?? url, `http://${headers.host ?? "localhost"}`);
    const hasBody = method !== "GET" && method !== "HEAD";
    return new Request(target, {
      method,
      headers: headersOf(incoming),
      signal,
      ...(hasBody && { body: bodyOf(incoming), duplex: "half" }),
    });
  } catch {
    return undefined;
  }
}

function headersOf({ headers }: IncomingMessage): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    // HTTP/2 has names that are none of HTTP's.
    if (value === undefined || name.startsWith(":")) continue;
    for (const one of Array.isArray(value) ? value : [value]) result.append(name, one);
  }
  return result;
}

function bodyOf(incoming: NodeRequest): BodyInit {
  const { body } = incoming;
  if (!incoming.readableEnded || body === undefined)
    return Readable.toWeb(incoming) as ReadableStream;
  if (typeof body === "string" || body instanceof Uint8Array) return body as BodyInit;
  return JSON.stringify(body);
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  const reader = response.body.getReader();
  const stop = (): void => void reader.cancel().catch(() => {});
  outgoing.on("close", stop);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || outgoing.destroyed) break;
      if (!outgoing.write(value)) await drained(outgoing);
    }
    outgoing.end();
  } catch {
    // A stream that breaks off must not look as if it were complete.
    outgoing.destroy();
  } finally {
    outgoing.off("close", stop);
  }
}

async function drained(outgoing: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done);
      outgoing.off("close", done);
      resolve();
    };
    outgoing.on("drain", done);
    outgoing.on("close", done);
    if (outgoing.destroyed) done();
  });
}
