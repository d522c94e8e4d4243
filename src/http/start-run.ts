import { type CallOptions, sessionIdOf, type SpanName } from "../agent/index.ts";
import { type AgentInput, type AgentOutputData, TurnkeepError } from "../protocol/index.ts";
import { toError } from "./client-error.ts";
import type { Exchange } from "./exchange.ts";
import { RunFeed } from "./run-feed.ts";

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
  const connection = agent.connect(exchange.callWith(start));
  try {
    await connection.send(input);
  } catch (error) {
    return repeatedRun(exchange, input, error);
  } finally {
    connection.close();
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
