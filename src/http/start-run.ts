import { type CallOptions, sessionIdOf, type SpanName } from "../agent/index.ts";
import { type AgentInput, TurnkeepError } from "../protocol/index.ts";
import { toError } from "./client-error.ts";
import type { Exchange } from "./exchange.ts";
import { RunFeed } from "./run-feed.ts";

/** A run that was taken in, now or when the same request came before. */
export interface StartedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly isReplay: boolean;
  readonly feed: RunFeed;
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
  const { agent, reader, gone } = exchange;
  const connection = agent.connect(exchange.callWith(start));
  try {
    await connection.send(input);
  } catch (error) {
    return repeatedRun(exchange, error);
  } finally {
    connection.close();
  }
  const { runId, sessionId, span } = connection;
  return {
    runId,
    sessionId,
    isReplay: false,
    feed: new RunFeed({ agent, runId, reader, gone, connection }),
    ...(span && { span }),
    checkStarted: async () => {
      if (await connection.hasStarted) return;
      const { error = { message: "The run did not start." } } = await connection.output();
      throw toError(error);
    },
  };
}

// A request that was accepted before is answered as it was then.
function repeatedRun({ agent, reader, gone }: Exchange, error: unknown): StartedRun {
  const isRepeated = TurnkeepError.is(error) && error.status === "ALREADY_EXISTS";
  const runId = isRepeated ? error.details["runId"] : undefined;
  if (typeof runId !== "string") throw error;
  return {
    runId,
    sessionId: sessionIdOf(runId) ?? "",
    isReplay: true,
    feed: new RunFeed({ agent, runId, reader, gone }),
    checkStarted: async () => {},
  };
}
