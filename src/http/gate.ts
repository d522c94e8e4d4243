import { TurnkeepError } from "../protocol/index.ts";
import type { RequestHead } from "./incoming-request.ts";

/** Which names a server goes by, and whose pages may call it. */
export interface GateOptions {
  /** Names the server may be called by, with the port where it matters; any, unless told. A web page can make its own name lead here. */
  readonly hosts?: readonly string[];
  /** Origins of web pages that may call, besides the server's own: scheme, host and port, such as `https://app.example` or `http://localhost:5173`. */
  readonly origins?: readonly string[];
}

const MAX_SHOWN = 200;

/** Refuses what a browser was talked into by another page, and says what a page that may call is told. */
export class Gate {
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #origins: ReadonlySet<string>;

  /** @throws TurnkeepError INVALID_ARGUMENT for origins that would let in anybody. */
  constructor({ hosts, origins = [] }: GateOptions) {
    this.#hosts = hosts && new Set(hosts.map((host) => host.toLowerCase()));
    for (const origin of origins) checkOrigin(origin);
    this.#origins = new Set(origins);
  }

  /** @throws TurnkeepError PERMISSION_DENIED. */
  check(request: RequestHead): void {
    const host = hostOf(request);
    if (this.#hosts && !this.#hosts.has(host) && !this.#hosts.has(withoutPort(host))) {
      throw denied(
        `Host "${shown(host)}" is no name of this server. Add it to 'hosts' if it is one.`,
      );
    }
    const origin = request.headers.get("origin");
    if (origin !== null && !this.#isWelcome(origin, request)) {
      throw deniedOrigin(origin);
    }
    const isForeign = request.headers.get("sec-fetch-site") === "cross-site";
    if (origin === null && isForeign && request.method !== "GET" && request.method !== "HEAD") {
      throw denied("Other sites may not call the server.");
    }
  }

  /** What a page on a listed origin needs to read the answer. */
  headersFor(request: RequestHead): Readonly<Record<string, string>> {
    const origin = request.headers.get("origin");
    if (this.#origins.size === 0) return {};
    if (origin === null || !this.#origins.has(origin)) return { vary: "origin" };
    return {
      vary: "origin",
      "access-control-allow-origin": origin,
      "access-control-expose-headers": "x-request-id, idempotent-replay, retry-after",
    };
  }

  /**
   * The answer to a browser that asks before it calls.
   *
   * @throws TurnkeepError PERMISSION_DENIED when the origin is not listed.
   */
  preflight(request: RequestHead): Response {
    const origin = request.headers.get("origin");
    if (origin === null) throw denied("OPTIONS without an Origin header is no preflight request.");
    if (!this.#origins.has(origin)) throw deniedOrigin(origin);
    return new Response(null, {
      status: 204,
      headers: {
        ...this.headersFor(request),
        "access-control-allow-methods": "GET, POST, PATCH, DELETE",
        "access-control-allow-headers":
          "authorization, content-type, accept, idempotency-key, last-event-id",
        "access-control-max-age": "600",
      },
    });
  }

  #isWelcome(origin: string, request: RequestHead): boolean {
    if (this.#origins.has(origin)) return true;
    const parsed = URL.canParse(origin) ? new URL(origin) : undefined;
    return parsed !== undefined && parsed.origin === origin && parsed.host === hostOf(request);
  }
}

function hostOf(request: RequestHead): string {
  return (request.headers.get("host") ?? new URL(request.url).host).toLowerCase();
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, "");
}

/**
 * @internal Refuses what is no origin of pages.
 *
 * @throws TurnkeepError INVALID_ARGUMENT for what is no origin, or would let in anybody.
 */
export function checkOrigin(origin: string): void {
  const isOrigin = URL.canParse(origin) && new URL(origin).origin === origin;
  if (isOrigin && !origin.includes("*")) return;
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    `'${origin}' is no origin. Name scheme and host, such as https://app.example; '*' is not possible.`,
  );
}

// For the developer of the page: it is the request's own origin, so that nothing is given away.
function deniedOrigin(origin: string): TurnkeepError {
  const name = shown(origin);
  return denied(
    `Origin "${name}" may not call this server. Add it to 'origins', or start with: turnkeep serve --origin ${name}`,
  );
}

function shown(header: string): string {
  return header.slice(0, MAX_SHOWN);
}

function denied(message: string): TurnkeepError {
  return new TurnkeepError("PERMISSION_DENIED", message);
}
