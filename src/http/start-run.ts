import {
  type AgentConnection,
  type CallOptions,
  sessionIdOf,
  type SpanName,
} from "../agent/index.ts";
import { type AgentInput, type AgentOutputData, TurnkeepError } from "../protocol/index.ts";
import { toError } from "./client-error.ts";
import type { Exchange } from "./exchange.ts";
import { RunFeed } from "./run-feed.ts";
import type { ServedAgent } from "./served-agents.ts";

/** What a run says, and how it comes out. */
export type Feed = Pick<RunFeed, "sayTo" | "leave" | "output">;

/** A run that was taken in, now or when the same request came before. */
export interface StartedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly isReplay: boolean;
  readonly feed: Feed;
  /** Absent when nothing records it, or when it began earlier. */
  readonly span?: SpanName;
  /** Throws why the run could not start, if it could not. */
  readonly checkStarted: () => Promise<void>;
}

/**
 * Takes one input in.
 *
 * @throws TurnkeepError when it is refused.
 */
export async function startRun(
  exchange: Exchange,
  input: AgentInput,
  start: CallOptions<never>,
): Promise<StartedRun> {
  const { agent } = exchange;
  const options = exchange.callWith(start);
  let connection: AgentConnection<never>;
  try {
    connection = await submitInput(exchange, { agent, options, input });
  } catch (error) {
    return repeatedRun(exchange, input, error);
  }
  const { runId, sessionId, span } = connection;
  return {
    runId,
    sessionId,
    isReplay: false,
    feed: new RunFeed({ agent, runId, exchange, connection }),
    ...(span && { span }),
    checkStarted: async () => {
      if (await connection.hasStarted) return;
      const { error = { message: "The run did not start." } } = await connection.output();
      throw toError(error);
    },
  };
}

/** What is sent to whom. */
export interface SubmittedInput {
  readonly agent: ServedAgent;
  readonly options: CallOptions<never>;
  readonly input: AgentInput;
}

/**
 * Begins a run with its only input. It counts against its caller until it is over.
 *
 * @throws TurnkeepError when it is refused.
 */
export async function submitInput(
  exchange: Exchange,
  { agent, options, input }: SubmittedInput,
): Promise<AgentConnection<never>> {
  const endRun = exchange.beginRun();
  try {
    const connection = agent.connect(options);
    await connection.send(input).finally(() => connection.close());
    void connection.done.then(endRun);
    return connection;
  } catch (error) {
    endRun();
    throw error;
  }
}

// A request that was accepted before is answered as it was then.
function repeatedRun(
  exchange: Exchange,
  { detach = false }: AgentInput,
  error: unknown,
): StartedRun {
  const isRepeated = TurnkeepError.is(error) && error.status === "ALREADY_EXISTS";
  const { runId, snapshotId } = isRepeated ? error.details : {};
  if (typeof runId !== "string" || typeof snapshotId !== "string") throw error;
  const sessionId = sessionIdOf(runId) ?? "";
  return {
    runId,
    sessionId,
    isReplay: true,
    feed: detach
      ? leftFeed({ sessionId, snapshotId, finishReason: "detached" })
      : new RunFeed({ agent: exchange.agent, runId, exchange }),
    checkStarted: async () => {},
  };
}

// Nothing is streamed of a run that was let go.
function leftFeed(output: AgentOutputData<never>): Feed {
  return { sayTo: async () => {}, leave: () => {}, output: async () => output };
}
