import type { Genkit } from "genkit";
import {
  AgentInitSchema,
  AgentInputSchema,
  AgentOutputSchema,
  AgentStreamChunkSchema,
} from "genkit/beta";
import type { AgentConnection, CallOptions, LocalAgent, ReadOptions } from "../agent/index.ts";
import {
  type GetSnapshotRequest,
  parseAgentAbortRequest,
  parseGetSnapshotRequest,
  TurnkeepError,
} from "../protocol/index.ts";
import {
  type ActionOptions,
  type ActionWork,
  genkitAction,
  type GenkitAction,
} from "./genkit-action.ts";

/** What Genkit knows of an agent: how to talk to it and, where there is a store, to read and abort its turns. */
export function companionActions(ai: Genkit, agent: LocalAgent<never>): readonly GenkitAction[] {
  const { name, metadata } = agent;
  const read: ActionWork = (request, options) => getSnapshot(agent, request, readerOf(ai, options));
  const list: ActionWork = (request, options) =>
    listSnapshots(agent, request, readerOf(ai, options));
  const abort: ActionWork = async (request, options) => {
    const { snapshotId } = parseAgentAbortRequest(request);
    const { status } = await agent.abort(snapshotId, readerOf(ai, options));
    return { snapshotId, ...(status !== undefined && { status }) };
  };
  const readers = [
    genkitAction({ name, actionType: "agent-snapshot" }, read),
    genkitAction({ name: `${name}/getSnapshot`, actionType: "snapshot-store" }, read),
    genkitAction({ name: `${name}/listSnapshots`, actionType: "snapshot-store" }, list),
  ];
  return [
    talkAction(ai, agent),
    ...(metadata.stateManagement === "server" ? readers : []),
    ...(metadata.abortable ? [genkitAction({ name, actionType: "agent-abort" }, abort)] : []),
  ];
}

// As with Genkit's own actions, what calls from inside of another is told what that one was.
function readerOf(ai: Genkit, { context = ai.currentContext() }: ActionOptions): ReadOptions {
  return context ? { context } : {};
}

/** Talks to the agent as Genkit's own are talked to. */
export function talkAction(ai: Genkit, agent: LocalAgent<never>): GenkitAction {
  const { name, description, metadata } = agent;
  return genkitAction(
    {
      name,
      actionType: "agent",
      ...(description !== undefined && { description }),
      inputSchema: AgentInputSchema,
      initSchema: AgentInitSchema,
      outputSchema: AgentOutputSchema,
      streamSchema: AgentStreamChunkSchema,
      metadata: { agent: metadata, bidi: true },
    },
    async (input, options) => await talk(agent, input, { ...options, ...readerOf(ai, options) }),
  );
}

async function talk(
  agent: LocalAgent<never>,
  input: unknown,
  { init, context, abortSignal, inputStream, onChunk, call }: ActionOptions,
): Promise<unknown> {
  const options: CallOptions<never> = {
    ...agent.parseClientInit(init ?? {}),
    ...call,
    ...(context && { context }),
    ...(abortSignal && { signal: abortSignal }),
  };
  if (inputStream === undefined && onChunk === undefined) {
    return await agent.run(agent.parseClientInput(input), options);
  }
  const connection = agent.connect(options);
  const sent = sendAll(agent, connection, inputStream ?? [input]);
  sent.catch(() => {});
  for await (const chunk of connection.receive()) onChunk?.(chunk);
  await sent;
  return await connection.output();
}

async function sendAll(
  agent: LocalAgent<never>,
  connection: AgentConnection<never>,
  inputs: Iterable<unknown> | AsyncIterable<unknown>,
): Promise<void> {
  try {
    for await (const input of inputs) await connection.send(agent.parseClientInput(input));
  } finally {
    connection.close();
  }
}

async function getSnapshot(
  agent: LocalAgent<never>,
  request: unknown,
  reader: ReadOptions,
): Promise<unknown> {
  const { snapshotId, sessionId }: GetSnapshotRequest = parseGetSnapshotRequest(request);
  if (snapshotId === undefined && sessionId === undefined) {
    throw needs("getSnapshot", "'snapshotId' or 'sessionId'");
  }
  if (snapshotId === undefined) return await agent.getLatestSnapshot(sessionId ?? "", reader);
  const snapshot = await agent.getSnapshot(snapshotId, reader);
  if (sessionId === undefined || snapshot.sessionId === sessionId) return snapshot;
  throw new TurnkeepError("NOT_FOUND", `Session '${sessionId}' has no such snapshot.`);
}

async function listSnapshots(
  agent: LocalAgent<never>,
  request: unknown,
  reader: ReadOptions,
): Promise<unknown> {
  const { sessionId } = parseGetSnapshotRequest(request);
  if (sessionId === undefined) throw needs("listSnapshots", "'sessionId'");
  return await agent.listSnapshots(sessionId, reader);
}

function needs(action: string, what: string): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", `${action} needs ${what}.`);
}
