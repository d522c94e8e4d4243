import {
  type AgentConnection,
  type AgentInput,
  type AgentStreamChunk,
  type CallOptions,
  type LocalAgent,
  TurnkeepError,
} from "turnkeep";
import { type Observation, observedErrorOf } from "./observation.ts";
import type { SendStep } from "./spec-case.ts";

/** One run: opens it where the step says, sends all its inputs, and receives until it is over. */
export async function sendInputs(
  agent: LocalAgent,
  { init = {}, inputs }: SendStep,
): Promise<Observation> {
  const chunks: AgentStreamChunk[] = [];
  let connection: AgentConnection | undefined;
  try {
    // Spec files hold misuse too, which is for the agent to refuse.
    connection = agent.connect(init as CallOptions);
    await sendAll(connection, inputs as readonly AgentInput[]);
    connection.close();
    for await (const chunk of connection.receive()) chunks.push(chunk);
    return { chunks, record: await connection.output() };
  } catch (error) {
    connection?.close();
    return { chunks, error: observedErrorOf(error) };
  }
}

// The spec pushes inputs without looking: those behind a turn that failed are dropped, and the output says what failed.
async function sendAll(connection: AgentConnection, inputs: readonly AgentInput[]): Promise<void> {
  for (const input of inputs) {
    try {
      await connection.send(input);
    } catch (error) {
      if (TurnkeepError.is(error) && error.reason === "RUN_OVER") return;
      throw error;
    }
  }
}
