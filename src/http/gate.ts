import { TurnkeepError } from "../protocol/index.ts";
import type { RequestHead } from "./incoming-request.ts";

/** Which names a server goes by, and whose pages may call it. */
export interface GateOptions {
  /** Names the server may be called by, with the port where it matters; any, unless told. A web page can make its own name lead here. */
  readonly hosts?: readonly string[];
  /** Web pages of other origins that may call, such as `https://app.example`. */
  readonly origins?: readonly string[];
}

/** Refuses what a browser was talked into by another page, and says what a page that may call is told. */
export class Gate {
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #origins: ReadonlySet<string>;

  /** @throws TurnkeepError INVALID_ARGUMENT for origins that would let in anybody. */
  constructor({ hosts, origins = [] }: GateOptions) {
    this.#hosts = hosts && new Set(hosts.map((host) => host.toLowerCase()));
    this.#origins = new Set(origins.map(checkedOrigin));
  }

  /** @throws TurnkeepError PERMISSION_DENIED. */
  check(request: RequestHead): void {
    const host = hostOf(request);
    if (this.#hosts && !this.#hosts.has(host) && !this.#hosts.has(withoutPort(host))) {
      throw denied("The server is not known by this host name.");
    }
    const origin = request.headers.get("origin");
    if (origin !== null && !this.#isWelcome(origin, request)) {
      throw denied("Pages of this origin may not call the server.");
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

  /** The answer to a browser that asks before it calls. */
  preflight(request: RequestHead): Response {
    const isListed = this.#origins.has(request.headers.get("origin") ?? "");
    return new Response(null, {
      status: isListed ? 204 : 403,
      headers: isListed
        ? {
            ...this.headersFor(request),
            "access-control-allow-methods": "GET, POST, DELETE",
            "access-control-allow-headers":
              "authorization, content-type, accept, idempotency-key, last-event-id",
            "access-control-max-age": "600",
          }
        : {},
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

function checkedOrigin(origin: string): string {
  const isOrigin = URL.canParse(origin) && new URL(origin).origin === origin;
  if (isOrigin && !origin.includes("*")) return origin;
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    `'${origin}' is no origin. Name scheme and host, such as https://app.example; '*' is not possible.`,
  );
}

function denied(message: string): TurnkeepError {
  return new TurnkeepError("PERMISSION_DENIED", message);
}
