import type { IncomingRequest, RequestHead } from "../http/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import type { Authorize, Operator } from "./reflection-options.ts";

export interface FrontDoorOptions {
  readonly token: string;
  readonly hosts: readonly string[];
  readonly authorize?: Authorize;
}

/** Keeps out web pages of others, names of others that lead here, and whoever does not have the token. */
export class FrontDoor {
  readonly #options: FrontDoorOptions;
  readonly #hosts: ReadonlySet<string>;

  constructor(options: FrontDoorOptions) {
    this.#options = options;
    this.#hosts = new Set(options.hosts.map((host) => host.toLowerCase()));
  }

  /**
   * Comes before anything else, for every method and path.
   *
   * @throws TurnkeepError PERMISSION_DENIED.
   */
  checkOrigin(request: RequestHead): void {
    this.#checkNames(request);
    // Also for GET: a page may embed what it may not read.
    const site = request.headers.get("sec-fetch-site");
    if (site !== null && site !== "same-origin" && site !== "none") {
      throw denied("Pages of other sites may not call the server.");
    }
  }

  /**
   * The same for a page, to which others may link.
   *
   * @throws TurnkeepError PERMISSION_DENIED.
   */
  checkPage(request: Request): void {
    const { headers, method } = request;
    const isFollowed =
      method === "GET" &&
      headers.get("sec-fetch-mode") === "navigate" &&
      headers.get("sec-fetch-dest") === "document";
    if (isFollowed) this.#checkNames(request);
    else this.checkOrigin(request);
  }

  #checkNames({ headers, url }: RequestHead): void {
    const host = (headers.get("host") ?? new URL(url).host).toLowerCase();
    if (!this.#hosts.has(host) && !this.#hosts.has(host.replace(/:\d+$/, ""))) {
      throw denied("The server is not known by this host name.");
    }
    const origin = headers.get("origin");
    if (origin !== null && !(URL.canParse(origin) && new URL(origin).host === host)) {
      throw denied("Pages of other origins may not call the server.");
    }
  }

  /** @throws TurnkeepError UNAUTHENTICATED. */
  async letIn(request: IncomingRequest): Promise<Operator> {
    const { authorize } = this.#options;
    const operator = authorize ? await authorize(request.toRequest()) : this.#holder(request);
    if (operator) return operator;
    throw new TurnkeepError(
      "UNAUTHENTICATED",
      authorize ? "Sign in first." : "Send the token that was printed when the server started.",
    );
  }

  /**
   * The cookie that stands for the token from now on.
   *
   * @throws TurnkeepError UNAUTHENTICATED when it is another token.
   */
  cookieFor(token: unknown, { request, path }: { request: RequestHead; path: string }): string {
    if (!this.#isToken(token)) {
      throw new TurnkeepError("UNAUTHENTICATED", "This is not the token of this start.");
    }
    const where = path === "" ? "/" : path;
    const secure = request.url.startsWith("https:") ? "; Secure" : "";
    return `${cookieName(request)}=${String(token)}; HttpOnly; SameSite=Strict; Path=${where}${secure}`;
  }

  #holder(request: RequestHead): Operator | undefined {
    const bearer = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    return this.#isToken(bearer ?? cookieOf(request)) ? {} : undefined;
  }

  // Takes as long for a token that is nearly right as for one that is not.
  #isToken(given: unknown): boolean {
    const { token } = this.#options;
    if (typeof given !== "string" || given.length !== token.length) return false;
    let difference = 0;
    for (let at = 0; at < token.length; at += 1) {
      difference |= token.charCodeAt(at) ^ given.charCodeAt(at);
    }
    return difference === 0;
  }
}

/** 256 random bits. */
export function randomToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Cookies are shared by all ports of a host, so the port is part of the name.
function cookieName(request: RequestHead): string {
  const host = request.headers.get("host") ?? new URL(request.url).host;
  return `turnkeep-studio-${/:(\d+)$/.exec(host)?.[1] ?? "default"}`;
}

function cookieOf(request: RequestHead): string | undefined {
  const start = `${cookieName(request)}=`;
  const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
}

function denied(message: string): TurnkeepError {
  return new TurnkeepError("PERMISSION_DENIED", message);
}
