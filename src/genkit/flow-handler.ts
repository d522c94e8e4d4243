import type { Action, Genkit } from "genkit";
import type { CallContext } from "../agent/index.ts";
import {
  asciiJson,
  httpCodeOf,
  isStatusName,
  type Json,
  parseJson,
  type StatusName,
  TurnkeepError,
} from "../protocol/index.ts";

/** Who may call flows, and where they are. */
export interface FlowHandlerOptions {
  /**
   * Who may call: a function that returns what flows are told of the caller as `context`, or `undefined` to refuse; the same function serves
   * `createHandler`. Say "public" to let everybody in.
   */
  readonly auth: "public" | FlowAuthenticate;
  /** The path below which each flow is served by its name; `/flows` by default. */
  readonly path?: string;
  /** Which flows are served. By default all that Genkit knows when a request comes. */
  readonly flows?: readonly Action[];
  /** The largest body that is read, in bytes; 1 MiB by default. */
  readonly maxBodyBytes?: number;
  /** Receives errors with their causes. Clients see those of their own making only. */
  readonly onError?: (error: unknown) => void;
}

/** Tells who calls, by the headers; `undefined` when nobody knows. */
export type FlowAuthenticate = (
  request: Request,
) => FlowCaller | undefined | Promise<FlowCaller | undefined>;

/** What flows are told of their caller. */
export interface FlowCaller {
  readonly context?: CallContext;
}

/** Serves flows below its path. `serve(agents, { beside: [flows] })` mounts it beside agents. */
export interface FlowHandler {
  (request: Request): Promise<Response>;
  readonly path: string;
}

/**
 * Serves the flows of a Genkit over HTTP as its own servers do: `POST <path>/<flow>` with `{ "data": … }` is answered with `{ "result": … }`, or with a
 * stream of events for `Accept: text/event-stream` and `?stream=true`. Genkit's `runFlow` and `streamFlow` call it.
 *
 * @example
 * const flows = createFlowHandler(ai, { auth });
 * await serve(agentsOf(ai), { auth, beside: [flows] });
 *
 * @throws TurnkeepError INVALID_ARGUMENT when nobody decided who may call.
 */
export function createFlowHandler(ai: Genkit, options: FlowHandlerOptions): FlowHandler {
  const { auth, path = "/flows" } = options;
  if (auth !== "public" && typeof auth !== "function") {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      `Say who may call the flows: 'auth' is a function, or "public".`,
    );
  }
  const base = `/${path.split("/").filter(Boolean).join("/")}`;
  const handler = async (request: Request): Promise<Response> => {
    try {
      return await answer(ai, request, { ...options, path: base });
    } catch (error) {
      return errorResponse(error, options);
    }
  };
  return Object.assign(handler, { path: base });
}

const MAX_BODY_BYTES = 1_048_576;

async function answer(
  ai: Genkit,
  request: Request,
  options: FlowHandlerOptions & { readonly path: string },
): Promise<Response> {
  const { flows = ai.flows, maxBodyBytes = MAX_BODY_BYTES } = options;
  const url = new URL(request.url);
  const context = await contextOf(request, options.auth);
  const below = (name: string): string => `${options.path}/${encodeURIComponent(name)}`;
  const flow = flows.find(({ __action: { name } }) => url.pathname === below(name));
  if (flow === undefined || request.method !== "POST") throw notFound(request.method, url.pathname);
  const input = await readInput(request, maxBodyBytes);
  const stop = new AbortController();
  const run = { context, abortSignal: AbortSignal.any([request.signal, stop.signal]) };
  if (!wantsStream(request, url)) return Response.json({ result: await flow(input, run) });
  const { stream, output } = flow.stream(input, run);
  output.catch(() => {});
  return streamResponse(framesOf(stream, output, options), stop);
}

async function contextOf(
  request: Request,
  auth: FlowHandlerOptions["auth"],
): Promise<Record<string, unknown>> {
  if (auth === "public") return {};
  // A copy, so that the body is still there to be read.
  const caller = await auth(
    new Request(request.url, { method: request.method, headers: request.headers }),
  );
  if (!caller) throw new TurnkeepError("UNAUTHENTICATED", "Sign in first.");
  return { ...caller.context };
}

async function readInput(request: Request, maxBytes: number): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  // No page can make a browser send JSON elsewhere without asking first.
  if (type !== "application/json") {
    throw new TurnkeepError("INVALID_ARGUMENT", "Send the body as application/json.", {
      reason: "UNSUPPORTED_MEDIA_TYPE",
    });
  }
  const body = parseJson(await readText(request, maxBytes), { textBytes: maxBytes });
  const isEnvelope = typeof body === "object" && body !== null && !Array.isArray(body);
  if (isEnvelope) return (body as Readonly<Record<string, Json>>)["data"];
  throw new TurnkeepError("INVALID_ARGUMENT", "The body must be an object with 'data'.");
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += piece.byteLength;
    if (bytes > maxBytes) {
      throw new TurnkeepError("INVALID_ARGUMENT", `The body has more than ${maxBytes} bytes.`, {
        reason: "BODY_TOO_LARGE",
      });
    }
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

function wantsStream(request: Request, url: URL): boolean {
  const accept = request.headers.get("accept")?.toLowerCase() ?? "";
  return accept.includes("text/event-stream") || url.searchParams.get("stream") === "true";
}

async function* framesOf(
  chunks: AsyncIterable<unknown>,
  output: Promise<unknown>,
  options: FlowHandlerOptions,
): AsyncGenerator<string> {
  try {
    for await (const message of chunks) yield frame({ message });
    yield frame({ result: await output });
  } catch (error) {
    yield frame({ error: clientError(error, options) });
  }
}

function frame(value: object): string {
  return `data: ${asciiJson(JSON.parse(JSON.stringify(value)) as Json)}\n\n`;
}

// Frames are made as fast as they are read. A reader that goes away stops the flow.
function streamResponse(frames: AsyncGenerator<string>, stop: AbortController): Response {
  const utf8 = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await frames.next();
      if (done) controller.close();
      else controller.enqueue(utf8.encode(value));
    },
    cancel: () => stop.abort(),
  });
  const headers = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
  };
  return new Response(body, { headers });
}

function errorResponse(error: unknown, options: FlowHandlerOptions): Response {
  const shown = clientError(error, options);
  return Response.json(shown, { status: httpCodeOf(shown.status) });
}

function clientError(error: unknown, { onError }: FlowHandlerOptions): ClientError {
  onError?.(error);
  const { status, message } = (error ?? {}) as {
    readonly status?: unknown;
    readonly message?: string;
  };
  const isClients = isStatusName(status) && httpCodeOf(status) < 500;
  return isClients
    ? { status, message: message ?? status }
    : { status: "INTERNAL", message: "Internal error." };
}

interface ClientError {
  readonly status: StatusName;
  readonly message: string;
}

function notFound(method: string, path: string): TurnkeepError {
  return new TurnkeepError("NOT_FOUND", `Not found: ${method} ${path}`);
}
