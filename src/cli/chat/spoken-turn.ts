import type { Agent, CallOptions, RunUpdate } from "../../agent/index.ts";
import type { AgentInput, AgentOutputData } from "../../protocol/index.ts";

/** A turn that is being listened to. */
export interface SpokenTurn {
  readonly updates: AsyncIterable<RunUpdate>;
  /** Ends the work. */
  readonly abort: () => Promise<void>;
  /** Ends the listening; the work goes on. */
  readonly leave: () => Promise<void>;
  /** How it came out; that it goes on without us, if we left. */
  readonly output: () => Promise<AgentOutputData>;
}

/** Sends an input. Resolves when it is taken in. */
export async function beginTurn(
  agent: Agent,
  input: AgentInput,
  options: CallOptions,
): Promise<SpokenTurn> {
  const connection = agent.connect(options);
  try {
    await connection.send(input);
  } finally {
    connection.close();
  }
  return {
    updates: connection.events(),
    abort: async () => void (await agent.abort(connection.runId, options)),
    leave: () => connection.detach(),
    output: () => connection.output(),
  };
}

/** Listens to a turn that somebody else began, from its start. */
export function joinTurn(
  agent: Agent,
  place: { readonly runId: string; readonly snapshotId: string },
  { tenant }: CallOptions,
): SpokenTurn {
  const ear = new AbortController();
  const reader = tenant === undefined ? {} : { tenant };
  return {
    updates: untilDeaf(agent.attach(place.runId, { ...reader, signal: ear.signal }), ear.signal),
    abort: async () => void (await agent.abort(place.runId, reader)),
    leave: async () => ear.abort(null),
    output: async () =>
      ear.signal.aborted
        ? { snapshotId: place.snapshotId, finishReason: "detached" }
        : await agent.getOutput(place.snapshotId, reader),
  };
}

async function* untilDeaf(
  updates: AsyncIterable<RunUpdate>,
  signal: AbortSignal,
): AsyncGenerator<RunUpdate> {
  try {
    yield* updates;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
