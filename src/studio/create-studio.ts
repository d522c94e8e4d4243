import {
  jsonResponse,
  type MountedHandler,
  preciseCode,
  type ServableAgents,
  toClientError,
} from "../http/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { createReflection, type Reflection, type ReflectionOptions } from "../reflection/index.ts";
import { fillPage, pageHeaders, randomNonce } from "./page-headers.ts";
import type { StudioFiles } from "./studio-files.ts";

/** Who may open the Studio, what it shows, and where it is. */
export interface StudioOptions extends ReflectionOptions {
  /** Where the page is: `/studio`, unless told. Its API is below it. */
  readonly path?: string;
}

/** Answers requests to the Studio: its page, its files and its API. */
export interface Studio extends MountedHandler {
  /** Opens everything: for whoever started the process. */
  readonly token: string;
  /** The address to open, with the token where no server and no log sees it. */
  readonly linkAt: (origin: string) => string;
}

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/**
 * The Studio with files from anywhere.
 *
 * @throws TurnkeepError FAILED_PRECONDITION in production unless allowed twice, INVALID_ARGUMENT when two agents have one name.
 */
export function createStudio(
  agents: ServableAgents,
  { files, ...options }: StudioOptions & { readonly files: StudioFiles },
): Studio {
  const path = `/${(options.path ?? "studio").split("/").filter(Boolean).join("/")}`;
  const mount = path === "/" ? "" : path;
  const reflection = createReflection(agents, { ...options, path: mount });
  const pages = new StudioPages(reflection, { mount, files });
  const handle = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    return await (pathname.startsWith(`${mount}/api/`) ? reflection : pages.answer)(request);
  };
  const { token } = reflection;
  const linkAt = (origin: string): string => `${origin}${mount}/#token=${token}`;
  return Object.assign(handle, { path: mount, token, linkAt });
}

/** Serves the page and its files to whoever calls the server by its name; what is in them is no secret. */
class StudioPages {
  readonly #reflection: Reflection;
  readonly #mount: string;
  readonly #files: StudioFiles;

  constructor(
    reflection: Reflection,
    { mount, files }: { readonly mount: string; readonly files: StudioFiles },
  ) {
    this.#reflection = reflection;
    this.#mount = mount;
    this.#files = files;
  }

  readonly answer = async (request: Request): Promise<Response> => {
    const response = await this.#answer(request).catch(refuse);
    response.headers.set("x-content-type-options", "nosniff");
    response.headers.set("cross-origin-resource-policy", "same-origin");
    return response;
  };

  async #answer(request: Request): Promise<Response> {
    this.#reflection.checkPage(request);
    if (request.method !== "GET" && request.method !== "HEAD") {
      throw new TurnkeepError("INVALID_ARGUMENT", "Pages are only read.", {
        reason: "METHOD_NOT_ALLOWED",
        details: { allowed: "GET, HEAD" },
      });
    }
    const below = new URL(request.url).pathname.slice(this.#mount.length);
    return below.startsWith("/assets/") ? await this.#asset(below.slice(1)) : await this.#page();
  }

  // Every path is the page's: it finds its way by itself.
  async #page(): Promise<Response> {
    const html = await this.#files.find("index.html");
    if (html === undefined) throw new TurnkeepError("NOT_FOUND", "The Studio has no page.");
    const nonce = randomNonce();
    const text = fillPage(new TextDecoder().decode(html), { base: `${this.#mount}/`, nonce });
    return new Response(text, { headers: pageHeaders(nonce) });
  }

  async #asset(name: string): Promise<Response> {
    const bytes = await this.#files.find(name);
    if (bytes === undefined) throw new TurnkeepError("NOT_FOUND", "There is no such file.");
    const type = TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
    // A file's name changes with what is in it.
    const headers = {
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
    };
    return new Response(bytes as BodyInit, { headers });
  }
}

function refuse(error: unknown): Response {
  const told = toClientError(error);
  const { status, message } = told;
  return jsonResponse(
    { error: { status, message } },
    { status: preciseCode(told), headers: { "cache-control": "no-store" } },
  );
}
