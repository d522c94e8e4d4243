import type { IncomingMessage, ServerResponse } from "node:http";
import { type IncomingRequest, WebRequest } from "../http/index.ts";
import { bodyOf, readBytes } from "./request-body.ts";

/** A request whose body somebody may have parsed already, as `express.json()` does. */
export type NodeRequest = IncomingMessage & {
  readonly body?: unknown;
  readonly originalUrl?: string;
};

// What `fetch` lets nobody ask.
const FORBIDDEN = ["CONNECT", "TRACE", "TRACK"];

/** A request of Node's, read as it comes from the socket. */
export class IncomingCall implements IncomingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly get: (name: string) => string | null };
  readonly #incoming: NodeRequest;
  readonly #outgoing: ServerResponse;
  #request: WebRequest | undefined;
  #leaveBody: () => void = nothing;

  /** @throws TypeError for what no `Request` can say, such as a host that is no host. */
  constructor(incoming: NodeRequest, outgoing: ServerResponse) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.method = incoming.method ?? "GET";
    this.url = targetOf(incoming).href;
    this.headers = { get: (name) => headerOf(incoming, name) };
    if (FORBIDDEN.includes(this.method)) throw new TypeError("Nobody may ask this.");
    // Node takes the first; a proxy before it may have looked at the second.
    if (hasTwoHosts(incoming)) throw new TypeError("There are two Host headers.");
  }

  readBytes(mostBytes: number): Promise<Uint8Array | undefined> {
    if (this.#request) return this.#request.readBytes(mostBytes);
    const { bytes, leave } = readBytes(this.#incoming, mostBytes);
    this.#leaveBody = leave;
    return bytes;
  }

  leaveBody(): void {
    this.#request?.leaveBody();
    this.#leaveBody();
    // The body is not kept for as long as the answer takes.
    this.#leaveBody = nothing;
  }

  onGone(call: () => void): void {
    this.#outgoing.on("close", call);
  }

  toRequest(): Request {
    this.#request ??= new WebRequest(this.#makeRequest());
    return this.#request.toRequest();
  }

  #makeRequest(): Request {
    const { method, url } = this;
    const gone = new AbortController();
    this.onGone(() => gone.abort(null));
    const hasBody = method !== "GET" && method !== "HEAD";
    return new Request(url, {
      method,
      headers: headersOf(this.#incoming),
      signal: gone.signal,
      ...(hasBody && { body: bodyOf(this.#incoming), duplex: "half" }),
    });
  }
}

function nothing(): void {}

function targetOf({ headers, originalUrl, url = "/" }: NodeRequest): URL {
  const base = new URL(`http://${headers.host ?? "localhost"}`);
  if (base.href !== `${base.origin}/`) throw new TypeError("The host is more than a host.");
  const asked = originalUrl ?? url;
  // Put together by hand: two slashes at the start would be taken for another host.
  const target = asked.startsWith("/") ? new URL(base.origin + asked) : new URL(asked, base);
  if (target.username + target.password !== "") throw new TypeError("A path names nobody.");
  return target;
}

function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  // Names and values stand one after the other.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return (Array.isArray(value) ? value.join(", ") : value) ?? null;
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
