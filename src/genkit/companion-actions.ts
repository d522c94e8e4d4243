import {
  AgentInitSchema,
  AgentInputSchema,
  AgentOutputSchema,
  AgentStreamChunkSchema,
} from "genkit/beta";
import type { AgentConnection, CallOptions, LocalAgent } from "../agent/index.ts";
import {
  type AgentInit,
  type AgentInput,
  type GetSnapshotRequest,
  parseAgentAbortRequest,
  parseAgentInit,
  parseGetSnapshotRequest,
  TurnkeepError,
} from "../protocol/index.ts";
import { type ActionOptions, genkitAction, type GenkitAction } from "./genkit-action.ts";

/** What Genkit knows of an agent: how to talk to it and, where there is a store, to read and abort its turns. */
export function companionActions(agent: LocalAgent<never>): readonly GenkitAction[] {
  const { name, metadata } = agent;
  const read = async (request: unknown): Promise<unknown> => await getSnapshot(agent, request);
  const list = async (request: unknown): Promise<unknown> => {
    const { sessionId } = parseGetSnapshotRequest(request);
    if (sessionId === undefined) throw needs("listSnapshots", "'sessionId'");
    return await agent.listSnapshots(sessionId);
  };
  const abort = async (request: unknown): Promise<unknown> => {
    const { snapshotId } = parseAgentAbortRequest(request);
    const { status } = await agent.abort(snapshotId);
    return { snapshotId, ...(status !== undefined && { status }) };
  };
  const reads = { ...(metadata.stateManagement === "server" && { read, list }) };
  return [
    talkAction(agent),
    ...(reads.read
      ? [
          genkitAction({ name, actionType: "agent-snapshot" }, reads.read),
          genkitAction({ name: `${name}/getSnapshot`, actionType: "snapshot-store" }, reads.read),
          genkitAction({ name: `${name}/listSnapshots`, actionType: "snapshot-store" }, list),
        ]
      : []),
    ...(metadata.abortable ? [genkitAction({ name, actionType: "agent-abort" }, abort)] : []),
  ];
}

function talkAction(agent: LocalAgent<never>): GenkitAction {
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
    async (input, options) => await talk(agent, input, options),
  );
}

async function talk(
  agent: LocalAgent<never>,
  input: unknown,
  { init, context, abortSignal, inputStream, onChunk, call }: ActionOptions,
): Promise<unknown> {
  const options: CallOptions<never> = {
    ...(parseAgentInit(init ?? {}) as AgentInit<never>),
    ...call,
    ...(context && { context }),
    ...(abortSignal && { signal: abortSignal }),
  };
  if (inputStream === undefined && onChunk === undefined) {
    return await agent.run(input as AgentInput, options);
  }
  const connection = agent.connect(options);
  const sent = sendAll(connection, inputStream ?? [input]);
  sent.catch(() => {});
  for await (const chunk of connection.receive()) onChunk?.(chunk);
  await sent;
  return await connection.output();
}

async function sendAll(
  connection: AgentConnection<never>,
  inputs: Iterable<unknown> | AsyncIterable<unknown>,
): Promise<void> {
  try {
    for await (const input of inputs) await connection.send(input as AgentInput);
  } finally {
    connection.close();
  }
}

async function getSnapshot(agent: LocalAgent<never>, request: unknown): Promise<unknown> {
  const { snapshotId, sessionId }: GetSnapshotRequest = parseGetSnapshotRequest(request);
  if (snapshotId === undefined && sessionId === undefined) {
    throw needs("getSnapshot", "'snapshotId' or 'sessionId'");
  }
  if (snapshotId === undefined) return await agent.getLatestSnapshot(sessionId ?? "");
  const snapshot = await agent.getSnapshot(snapshotId);
  if (sessionId === undefined || snapshot.sessionId === sessionId) return snapshot;
  throw new TurnkeepError("NOT_FOUND", `Session '${sessionId}' has no such snapshot.`);
}

function needs(action: string, what: string): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", `${action} needs ${what}.`);
}
