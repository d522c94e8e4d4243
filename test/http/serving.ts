import type { Authenticate, HttpLimits, ServableAgents } from "turnkeep/http";
import { type RunningServer, serve, type ServeOptions } from "turnkeep/node";
import { onTestFinished } from "vitest";
import { user } from "../agent/agents.ts";

/** What a test sends. */
export interface Ask {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Who asks: "tenant/principal", or "tenant/principal/operator". */
  readonly as?: string;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON of the answer; `undefined` when it is none. */
  readonly body: Answered;
}

// Tests look into answers of all kinds.
// oxlint-disable-next-line typescript/no-explicit-any
export type Answered = any;

export interface Served {
  readonly server: RunningServer;
  readonly url: string;
  readonly ask: (path: string, ask?: Ask) => Promise<Answer>;
  /** The answer as it begins, for those who read it themselves. */
  readonly open: (path: string, ask?: Ask) => Promise<Response>;
  /** Errors that clients were not told. */
  readonly errors: readonly { readonly error: unknown; readonly requestId: string }[];
}

/** Takes a token such as "acme/ann" or "acme/ann/operator" for who it names. */
export const byToken: Authenticate = (request) => {
  const token = request.headers.get("authorization")?.replace("Bearer ", "");
  if (token === undefined) return undefined;
  const [tenant = "", principal, role] = token.split("/").map(decodeURIComponent);
  return {
    tenant,
    ...(principal !== undefined && { principal }),
    isOperator: role === "operator",
    context: { auth: { who: token } },
  };
};

/** Limits that tests of other things do not run into. */
export const WIDE: Partial<HttpLimits> = {
  submissionsPerSecond: 10_000,
  submissionBurst: 10_000,
  readsPerSecond: 10_000,
  readBurst: 10_000,
  concurrentRuns: 1000,
};

/** Serves the agents until the test has ended. */
export async function served(
  agents: ServableAgents,
  { limits, ...options }: Partial<ServeOptions> = {},
): Promise<Served> {
  const errors: { error: unknown; requestId: string }[] = [];
  const server = await serve(agents, {
    auth: "public",
    routes: "all",
    onError: (error, { requestId }) => errors.push({ error, requestId }),
    limits: { ...WIDE, ...limits },
    ...options,
  });
  onTestFinished(() => server.close());
  const open = (path: string, ask: Ask = {}): Promise<Response> =>
    fetch(`${server.url}${path}`, requestInit(ask));
  return {
    server,
    url: server.url,
    errors,
    open,
    ask: async (...args) => answerOf(await open(...args)),
  };
}

/** Asks a handler without any server. */
export async function askHandler(
  handler: (request: Request) => Promise<Response>,
  path: string,
  ask: Ask = {},
): Promise<Answer> {
  return answerOf(await handler(new Request(`http://localhost${path}`, requestInit(ask))));
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

export function requestInit({ method, body, headers = {}, as, signal }: Ask): RequestInit {
  const isText = typeof body === "string" || body instanceof Uint8Array;
  return {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(as !== undefined && { authorization: `Bearer ${as}` }),
      ...headers,
    },
    ...(body !== undefined && { body: (isText ? body : JSON.stringify(body)) as string }),
    ...(signal && { signal }),
  };
}

/** One turn's body, as Genkit's clients send it. */
export function turn(text: string, init: object = {}): object {
  return { data: user(text), init };
}

/** One run's body, as ours do. */
export function run(text: string, more: object = {}): object {
  return { input: user(text), ...more };
}

export const STREAMED: Readonly<Record<string, string>> = { accept: "text/event-stream" };

function parsed(text: string): Answered {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
