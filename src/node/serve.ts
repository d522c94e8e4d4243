import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AnyAgent,
  createHandler,
  type HandlerOptions,
  mountBeside,
  type MountedHandler,
  type ServableAgents,
} from "../http/index.ts";
import { toNodeHandler } from "./to-node-handler.ts";

/** Where to listen and, as for any handler, who may call. */
export interface ServeOptions extends HandlerOptions {
  /** Any free one, unless told. */
  readonly port?: number;
  /** The address to listen at: only this machine's own, unless told. */
  readonly hostname?: string;
  /** What answers below paths of its own, such as a reflection API. */
  readonly beside?: readonly MountedHandler[];
}

/** What no list of agents has, so that nobody is served before it is decided who may call. */
export interface AuthIsMissing {
  readonly 'Decide who may call: serve(agents, { auth }), with a function or "public"': never;
}

/** A server that listens. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Takes no more requests, gives runs this long to end and hands the rest over to other processes. */
  readonly close: (options?: { readonly handOverMs?: number }) => Promise<void>;
}

const HEADER_BYTES = 16_384;
const HEADER_MS = 10_000;
// Requests whose body the handler does not want may take this long; those it wants, as long as it says.
const REQUEST_MS = 60_000;
// So long the last words of runs that have ended may take to be sent.
const LAST_WORDS_MS = 500;
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

// Not a way to call it: the compiler shows the hint of the type where the options are left out.
export function serve(agents: AuthIsMissing & ServableAgents): never;
/**
 * Serves agents over HTTP with Node's own server: a list, or a registry, whose agents may be registered later.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when nobody decided who may call; the system's error when the port is taken.
 */
export function serve(agents: ServableAgents, options: ServeOptions): Promise<RunningServer>;
export async function serve(
  agents: ServableAgents,
  options: Partial<ServeOptions> = {},
): Promise<RunningServer> {
  const { port = 0, hostname = "127.0.0.1", beside = [], ...rest } = options;
  const name = hostname.includes(":") ? `[${hostname}]` : hostname;
  let isOpen = true;
  const own = createHandler(agents, {
    // A page that makes its own name lead here is refused, unless the server is meant for the world.
    ...(LOOPBACK.includes(name) && { hosts: LOOPBACK }),
    ...(rest as HandlerOptions),
  });
  const handler = mountBeside(own, beside);
  const answer = toNodeHandler(handler);
  const refuse = toNodeHandler(closing);
  const answers = new Set<Promise<void>>();
  const unanswered = new Set<ServerResponse>();
  const requestTimeout = HEADER_MS + Math.max(REQUEST_MS, rest.limits?.bodyMs ?? 0);
  const server = createServer(
    { maxHeaderSize: HEADER_BYTES, headersTimeout: HEADER_MS, requestTimeout },
    (incoming, outgoing) => {
      const answered = (isOpen ? answer : refuse)(incoming, outgoing)
        .catch(() => void outgoing.destroy())
        .finally(() => {
          answers.delete(answered);
          unanswered.delete(outgoing);
        });
      answers.add(answered);
      unanswered.add(outgoing);
    },
  );
  await listen(server, port, hostname);
  const address = server.address() as AddressInfo;
  const url = `http://${name}:${address.port}`;
  if (rest.auth === "public" && !isLoopback(name)) warnOfPublicServer(url);
  warnOfUnsignedState(listOf(agents));
  return {
    url,
    port: address.port,
    close: async ({ handOverMs = 0 } = {}) => {
      isOpen = false;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await Promise.all([
        ...listOf(agents).map((agent) => agent.close({ handOverMs })),
        settled(answers, handOverMs),
      ]);
      await settled(answers, LAST_WORDS_MS);
      // Their runs go on in other processes, so that the same request gets the answer there.
      await Promise.all([...unanswered].filter(isUnanswered).map(refuseLate));
      server.closeAllConnections();
      await closed;
    },
  };
}

// Of a registry, those that are there by now.
function listOf(agents: ServableAgents): readonly AnyAgent[] {
  return "list" in agents ? agents.list() : agents;
}

function isLoopback(name: string): boolean {
  return LOOPBACK.includes(name) || name.startsWith("127.");
}

function warnOfPublicServer(url: string): void {
  process.emitWarning(
    `${url} is public beyond this machine: everybody who can reach it may call the agents. Pass an 'auth' function, or listen at 127.0.0.1.`,
    { type: "TurnkeepWarning", code: "TURNKEEP_PUBLIC_SERVER" },
  );
}

function warnOfUnsignedState(agents: readonly AnyAgent[]): void {
  const names = agents
    .filter(({ trustsClientState }) => trustsClientState)
    .map(({ name }) => `'${name}'`);
  if (names.length === 0) return;
  process.emitWarning(
    `${names.join(", ")}: clients carry the state of these agents unsigned, so they can change all of it, also system messages and approvals. Define them with 'clientState: { secret }', or with a 'store'.`,
    { type: "TurnkeepWarning", code: "TURNKEEP_UNSIGNED_STATE" },
  );
}

const CLOSING = {
  status: "UNAVAILABLE",
  message: "The server is closing. Send the request again, with the same request id if it has one.",
  details: { retryable: true },
};
const CLOSING_HEADERS = { "retry-after": "1", connection: "close" };

async function closing(): Promise<Response> {
  return Response.json(CLOSING, { status: 503, headers: CLOSING_HEADERS });
}

function isUnanswered({ headersSent, destroyed }: ServerResponse): boolean {
  return !headersSent && !destroyed;
}

async function refuseLate(outgoing: ServerResponse): Promise<void> {
  const sent = new Promise((resolve) => outgoing.once("close", resolve));
  outgoing.writeHead(503, { ...CLOSING_HEADERS, "content-type": "application/json" });
  outgoing.end(JSON.stringify(CLOSING));
  await Promise.race([sent, sleep(LAST_WORDS_MS)]);
}

async function settled(work: ReadonlySet<Promise<void>>, mostMs: number): Promise<void> {
  const enough = new AbortController();
  const late = sleep(mostMs, undefined, { signal: enough.signal }).catch(() => {});
  await Promise.race([Promise.all(work), late]);
  enough.abort(null);
}

async function listen(server: Server, port: number, hostname: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
