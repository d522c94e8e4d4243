import type { AgentStreamChunk, BusyPolicy, LocalAgent } from "turnkeep";
import { type RemoteAgent, remoteAgent, type RemoteAgentOptions } from "turnkeep/client";
import { createHandler } from "turnkeep/http";
import type { AgentOutput } from "turnkeep/protocol";
import type { Ports } from "../../src/ledger/index.ts";
import { createReflection } from "turnkeep/reflection";
import { user } from "../agent/agents.ts";
import { HASTY } from "../client/remote.ts";
import { framesOf } from "../http/frames.ts";
import { requestInit, STREAMED, turn as genkitTurn, WIDE } from "../http/serving.ts";

/** What a reader is told of one input, as it comes. */
export interface Heard {
  readonly chunks: AgentStreamChunk[];
  /** How the input came out; absent until the stream is over, or when it failed. */
  output?: AgentOutput<unknown, unknown>;
  error?: unknown;
}

export interface LiveReader {
  readonly heard: Heard;
  /** Resolves when the stream is over, in whatever way. */
  readonly over: Promise<void>;
}

export interface Sending {
  readonly sessionId: string;
  readonly onBusy?: BusyPolicy;
  readonly detach?: boolean;
}

/** Sends one input and reads what comes of it. */
export type Path = (
  agent: LocalAgent,
  text: string,
  sending: Sending,
  /** Of whatever is between the agent and its reader. */
  ports?: Ports,
) => LiveReader;

export type PathName =
  | "in process"
  | "native HTTP"
  | "Genkit's wire"
  | "reflection"
  | "the remote client";

/** Every way to read a run live. */
export const PATHS: Readonly<Record<PathName, Path>> = {
  "in process": (agent, text, { detach, ...options }) =>
    reading(async (heard) => {
      const connection = agent.connect(options);
      await connection.send({ ...user(text), ...(detach && { detach }) });
      connection.close();
      for await (const chunk of connection.receive()) heard.chunks.push(chunk);
      heard.output = await connection.output();
    }),

  "native HTTP": (agent, text, { sessionId, onBusy, detach }, ports) =>
    reading(async (heard) => {
      const input = { ...user(text), ...(detach && { detach }) };
      const body = { input, init: { sessionId }, ...(onBusy && { onBusy }) };
      const response = await handlerOf(agent, ports)(request(`/agents/${agent.name}/runs`, body));
      for await (const { event, data } of framesOf(response)) {
        if (event === "update" && data.chunk) heard.chunks.push(data.chunk);
        if (event === "result") heard.output = data;
        if (event === "error") throw new Error(data.message);
      }
    }),

  // Genkit's requests name no policy: the agent's own counts.
  "Genkit's wire": (agent, text, { sessionId, detach }, ports) =>
    reading(async (heard) => {
      const { data, init } = genkitTurn(text, { sessionId }) as { data: object; init: object };
      const body = { data: { ...data, ...(detach && { detach }) }, init };
      const response = await handlerOf(agent, ports)(request(`/agents/${agent.name}`, body));
      for await (const { data: frame } of framesOf(response)) {
        const { message, result, error } = frame;
        if (error) throw new Error(error.message);
        if (message && Object.keys(message).length > 0) heard.chunks.push(message);
        if (result) heard.output = result;
      }
    }),

  reflection: (agent, text, { sessionId, onBusy, detach }, ports) =>
    reading(async (heard) => {
      const reflection = createReflection([agent], {
        environment: "test",
        limits: WIDE,
        ...(ports && { ports }),
      });
      const input = { ...user(text), ...(detach && { detach }) };
      const body = { input, init: { sessionId }, stream: true, ...(onBusy && { onBusy }) };
      const headers = { authorization: `Bearer ${reflection.token}` };
      const response = await reflection(
        request(`/api/agents/${agent.name}/execute`, body, headers),
      );
      for await (const { event, data } of framesOf(response)) {
        if (event === "chunk") heard.chunks.push({ modelChunk: data.chunk });
        if (event === "turnEnd") heard.chunks.push({ turnEnd: withoutSession(data) });
        if (event === "done") heard.output = data;
        if (event === "error") throw new Error(data.message);
      }
    }),

  "the remote client": (agent, text, { detach, ...options }, ports) =>
    reading(async (heard) => {
      const connection = remoteOf(agent, {}, ports).connect(options);
      await connection.send({ ...user(text), ...(detach && { detach }) });
      connection.close();
      for await (const chunk of connection.receive()) heard.chunks.push(chunk);
      heard.output = await connection.output();
    }),
};

export const PATH_NAMES: readonly PathName[] = Object.keys(PATHS) as readonly PathName[];

/** The same agent, as if it were behind HTTP. */
export function remoteOf(
  agent: LocalAgent,
  options: Partial<RemoteAgentOptions> = {},
  ports?: Ports,
): RemoteAgent {
  const handler = handlerOf(agent, ports);
  return remoteAgent({
    url: `http://localhost/agents/${agent.name}`,
    ports: { ...HASTY, ...(ports && { after: ports.timers.after }) },
    fetch: async (url, init) => {
      const response = await handler(new Request(url, init));
      // As over a network: to abort a request breaks off its answer.
      const { signal } = init;
      const body = response.body?.pipeThrough(new TransformStream(), signal ? { signal } : {});
      return new Response(body ?? null, response);
    },
    ...options,
  });
}

/** The ends of turns among what a reader was told. */
export function endsOf(
  chunks: readonly AgentStreamChunk[],
): readonly NonNullable<AgentStreamChunk["turnEnd"]>[] {
  return chunks.flatMap(({ turnEnd }) => (turnEnd ? [turnEnd] : []));
}

/** What late readers are told of a run. */
export async function lateChunks(
  agent: LocalAgent,
  runId: string,
): Promise<readonly AgentStreamChunk[]> {
  const chunks: AgentStreamChunk[] = [];
  for await (const { chunk } of agent.attach(runId)) if (chunk) chunks.push(chunk);
  return chunks;
}

function reading(read: (heard: Heard) => Promise<void>): LiveReader {
  const heard: Heard = { chunks: [] };
  const over = read(heard).catch((error: unknown) => {
    heard.error = error;
  });
  return { heard, over };
}

const HANDLERS = new WeakMap<LocalAgent, ReturnType<typeof createHandler>>();

function handlerOf(agent: LocalAgent, ports?: Ports): ReturnType<typeof createHandler> {
  const options = { auth: "public", limits: WIDE, ...(ports && { ports }) } as const;
  const handler = HANDLERS.get(agent) ?? createHandler([agent], options);
  HANDLERS.set(agent, handler);
  return handler;
}

function request(
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Request {
  return new Request(
    `http://localhost${path}`,
    requestInit({ body, headers: { ...STREAMED, ...headers } }),
  );
}

function withoutSession(
  data: Readonly<Record<string, string>>,
): NonNullable<AgentStreamChunk["turnEnd"]> {
  const entries = Object.entries(data).filter(([name]) => name !== "sessionId");
  return Object.fromEntries(entries);
}
