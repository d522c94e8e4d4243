import type { ReadOptions, SpanName } from "../agent/index.ts";
import {
  type Answer,
  jsonResponse,
  type ServedAgent,
  type StartedRun,
  startRun,
  type TextStream,
} from "../http/index.ts";
import type { AgentOutputData, SessionState } from "../protocol/index.ts";
import { type ExecuteRequest, parseExecute } from "./execute-request.ts";
import {
  doneFrame,
  errorFrame,
  OPEN_FRAME,
  PING_FRAME,
  runFrame,
  RunFrames,
  telemetryFrame,
} from "./run-frames.ts";
import { stateView, wantedOf } from "./session-view.ts";
import type { StudioExchange } from "./studio-exchange.ts";

/** E: one turn, answered by JSON or as it comes. A run that is kept goes on by itself when its reader leaves. */
export async function execute(exchange: StudioExchange): Promise<Answer> {
  const request = parseExecute(exchange.agent, await exchange.json());
  const run = await startRun(exchange, request.input, request.start);
  const response = await answer(exchange, request, run);
  response.headers.set("x-run-id", run.runId);
  if (run.span) response.headers.set("x-trace-id", run.span.traceId);
  return response;
}

async function answer(
  exchange: StudioExchange,
  { isStreamed }: ExecuteRequest,
  run: StartedRun,
): Promise<Answer> {
  if (isStreamed) {
    return exchange.stream((stream) => sayRun(exchange, run, stream), { ping: PING_FRAME });
  }
  const result = await resultOf(exchange, exchange.agent, await run.feed.output());
  return jsonResponse({ result, telemetry: run.span ?? {} });
}

async function sayRun(
  exchange: StudioExchange,
  { runId, sessionId, span, isReplay, feed }: StartedRun,
  stream: TextStream,
): Promise<void> {
  try {
    const traceId = span && { traceId: span.traceId };
    stream.say(OPEN_FRAME + runFrame({ runId, sessionId, ...traceId, replay: isReplay }));
    await feed.sayTo(stream, new RunFrames({ sessionId }).encode);
    const ended = { agent: exchange.agent, output: await feed.output(), span };
    stream.say(await lastFrames(exchange, ended));
  } catch (error) {
    stream.say(errorFrame(exchange.tell(error)));
  }
}

/** How a run came out, and where it can be looked into. */
export async function lastFrames(
  exchange: StudioExchange,
  { agent, output, span }: EndedRun,
): Promise<string> {
  return doneFrame(await resultOf(exchange, agent, output)) + telemetryFrame(span);
}

/** A run that has ended. */
interface EndedRun {
  readonly agent: ServedAgent;
  readonly output: AgentOutputData<never>;
  readonly span: SpanName | undefined;
}

/** The result as the RFC has it, with what it leaves out beside it. */
async function resultOf(
  { reader, url }: StudioExchange,
  agent: ServedAgent,
  output: AgentOutputData<never>,
): Promise<object> {
  const { state: carried, ...rest } = output;
  const kept = carried ?? (await keptState(agent, reader, output));
  const { messages, custom, artifacts } = stateView(kept, wantedOf(url));
  return {
    ...rest,
    messages,
    // The artifacts stand beside it, so that both can be sent back as `init`.
    ...(custom !== undefined && { state: custom }),
    artifacts,
    // The same and what the RFC leaves out: to be sent back as it is.
    ...(carried && { sessionState: carried }),
  };
}

// A run that was left to itself, or could not start, has no state to show.
async function keptState(
  agent: ServedAgent,
  reader: ReadOptions,
  { snapshotId, finishReason }: AgentOutputData<never>,
): Promise<SessionState<never> | undefined> {
  const isKept = agent.metadata.stateManagement === "server";
  if (!isKept || snapshotId === undefined || finishReason === "detached") return undefined;
  return (await agent.getSnapshot(snapshotId, reader)).state;
}
