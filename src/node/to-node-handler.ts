import type { IncomingMessage, ServerResponse } from "node:http";
import type { Handler } from "../http/index.ts";
import { bodyOf, passOverRest } from "./request-body.ts";

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
    // Whoever does not get the answer is told by `close`.
    outgoing.on("error", () => {});
    const request = findRequest(incoming, gone.signal);
    const response = request ? await handler(request) : new Response(null, { status: 400 });
    passOverRest(incoming);
    await send(response, outgoing, { isBare: incoming.method === "HEAD" });
  };
}

// `undefined` for what no `Request` can say, such as a host that is no host.
function findRequest(incoming: NodeRequest, signal: AbortSignal): Request | undefined {
  try {
    const { method = "GET" } = incoming;
    const hasBody = method !== "GET" && method !== "HEAD";
    return new Request(targetOf(incoming), {
      method,
      headers: headersOf(incoming),
      signal,
      ...(hasBody && { body: bodyOf(incoming), duplex: "half" }),
    });
  } catch {
    return undefined;
  }
}

function targetOf({ headers, originalUrl, url = "/" }: NodeRequest): URL {
  const base = new URL(`http://${headers.host ?? "localhost"}`);
  if (base.href !== `${base.origin}/`) throw new TypeError("The host is more than a host.");
  const asked = originalUrl ?? url;
  // Put together by hand: two slashes at the start would be taken for another host.
  return asked.startsWith("/") ? new URL(base.origin + asked) : new URL(asked, base);
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

async function send(
  { status, headers, body }: Response,
  outgoing: ServerResponse,
  { isBare }: { readonly isBare: boolean },
): Promise<void> {
  if (outgoing.destroyed) return await body?.cancel();
  outgoing.writeHead(status, Object.fromEntries(headers));
  if (isBare) await body?.cancel();
  else if (body) await pipe(body.getReader(), outgoing);
  if (!outgoing.destroyed) outgoing.end();
}

async function pipe(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  outgoing: ServerResponse,
): Promise<void> {
  const stop = (): void => void reader.cancel().catch(() => {});
  outgoing.on("close", stop);
  // A stream that breaks off must not look as if it were complete, and does not wait for one who does not read.
  reader.closed.catch(() => outgoing.destroy());
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || outgoing.destroyed) return;
      if (!outgoing.write(value)) await drained(outgoing);
    }
  } catch {
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
