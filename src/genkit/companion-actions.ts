import { type Genkit, z } from "genkit";
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
  parseListSnapshotsRequest,
  TurnkeepError,
} from "../protocol/index.ts";
import {
  AbortResponseSchema,
  GetSnapshotRequestSchema,
  ListSnapshotsRequestSchema,
  SessionSnapshotSchema,
  SnapshotIdSchema,
} from "./companion-schemas.ts";
import {
  type ActionOptions,
  type ActionWork,
  genkitAction,
  type GenkitAction,
} from "./genkit-action.ts";

/** The actions that Genkit knows an agent by. Those that need a store are absent without one. */
export interface AgentActions {
  /** One run: inputs in, chunks and an output out. */
  readonly agent: GenkitAction;
  readonly getSnapshot?: GenkitAction;
  /** The same, as `/snapshot-store/<agent>/getSnapshot`. */
  readonly getStoredSnapshot?: GenkitAction;
  readonly listSnapshots?: GenkitAction;
  readonly waitForSnapshot?: GenkitAction;
  readonly abort?: GenkitAction;
}

/** Makes the actions of an agent: how to talk to it and, where there is a store, to read, await and abort its turns. */
export function agentActions(ai: Genkit, agent: LocalAgent<never>): AgentActions {
  const { stateManagement, abortable } = agent.metadata;
  return {
    agent: talkAction(ai, agent),
    ...(stateManagement === "server" && snapshotActions(ai, agent)),
    ...(abortable && { abort: abortAction(ai, agent) }),
  };
}

function snapshotActions(ai: Genkit, agent: LocalAgent<never>): Omit<AgentActions, "agent"> {
  const { name } = agent;
  const read: ActionWork = (request, options) => getSnapshot(agent, request, readerOf(ai, options));
  const reading = {
    description: `Reads a snapshot of the agent '${name}', or the head of a session.`,
    inputSchema: GetSnapshotRequestSchema,
    outputSchema: SessionSnapshotSchema,
  };
  return {
    getSnapshot: genkitAction({ ...reading, name, actionType: "agent-snapshot" }, read),
    getStoredSnapshot: genkitAction(
      { ...reading, name: `${name}/getSnapshot`, actionType: "snapshot-store" },
      read,
    ),
    listSnapshots: genkitAction(
      {
        name: `${name}/listSnapshots`,
        actionType: "snapshot-store",
        description: `Lists the snapshots of a session of the agent '${name}'.`,
        inputSchema: ListSnapshotsRequestSchema,
        outputSchema: z.array(SessionSnapshotSchema),
      },
      (request, options) => listSnapshots(agent, request, readerOf(ai, options)),
    ),
    waitForSnapshot: genkitAction(
      {
        name: `${name}/waitForSnapshot`,
        actionType: "snapshot-store",
        description: `Waits for the turn of the agent '${name}' that ends in a snapshot.`,
        inputSchema: SnapshotIdSchema,
        outputSchema: SessionSnapshotSchema,
      },
      (request, options) =>
        waitForSnapshot(agent, request, { ...options, ...readerOf(ai, options) }),
    ),
  };
}

function abortAction(ai: Genkit, agent: LocalAgent<never>): GenkitAction {
  const { name } = agent;
  return genkitAction(
    {
      name,
      actionType: "agent-abort",
      description: `Aborts the turn of the agent '${name}' that ends in a snapshot.`,
      inputSchema: SnapshotIdSchema,
      outputSchema: AbortResponseSchema,
    },
    async (request, options) => {
      const { snapshotId } = parseAgentAbortRequest(request);
      const { status } = await agent.abort(snapshotId, readerOf(ai, options));
      return { snapshotId, ...(status !== undefined && { status }) };
    },
  );
}

// As with Genkit's own actions, what calls from inside of another is told what that one was.
function readerOf(ai: Genkit, { context = ai.currentContext(), call }: ActionOptions): ReadOptions {
  const { tenant } = call ?? {};
  return { ...(context && { context }), ...(tenant !== undefined && { tenant }) };
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
  try {
    await sent;
  } catch (error) {
    // A request that was accepted before is answered with what came of it then.
    if (inputStream === undefined && isRepeated(error))
      return await agent.run(agent.parseClientInput(input), options);
    throw error;
  }
  return await connection.output();
}

function isRepeated(error: unknown): boolean {
  return TurnkeepError.is(error) && error.status === "ALREADY_EXISTS";
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

async function waitForSnapshot(
  agent: LocalAgent<never>,
  request: unknown,
  { context, tenant, abortSignal }: ReadOptions & Pick<ActionOptions, "abortSignal">,
): Promise<unknown> {
  const { snapshotId } = parseGetSnapshotRequest(request);
  if (snapshotId === undefined) throw needs("waitForSnapshot", "'snapshotId'");
  return await agent.waitFor(snapshotId, {
    ...(context && { context }),
    ...(tenant !== undefined && { tenant }),
    ...(abortSignal && { signal: abortSignal }),
  });
}

async function listSnapshots(
  agent: LocalAgent<never>,
  request: unknown,
  reader: ReadOptions,
): Promise<unknown> {
  const { sessionId, ...page } = parseListSnapshotsRequest(request);
  if (sessionId === undefined) throw needs("listSnapshots", "'sessionId'");
  return await agent.listSnapshots(sessionId, { ...reader, ...page, withState: true });
}

function needs(action: string, what: string): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", `${action} needs ${what}.`);
}
