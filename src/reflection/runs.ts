import { type InspectedRun, sessionIdOf } from "../agent/index.ts";
import {
  type Answer,
  jsonResponse,
  RunFeed,
  type ServedAgent,
  type TextStream,
} from "../http/index.ts";
import { type AgentOutputData, parseEventId, TurnkeepError } from "../protocol/index.ts";
import { lastFrames } from "./execute.ts";
import { choiceOf, countOf, fieldsOf, fromToken, invalid, limitOf, toToken } from "./query.ts";
import {
  errorFrame,
  OPEN_FRAME,
  PING_FRAME,
  resetFrame,
  runFrame,
  RunFrames,
} from "./run-frames.ts";
import { SessionScan } from "./session-scan.ts";
import { stateView } from "./session-view.ts";
import type { StudioExchange } from "./studio-exchange.ts";

const PHASES = ["running", "queued", "open", "expired", "completed", "failed", "aborted"] as const;

// Whose runs are looked at in one request.
const MOST_SESSIONS = 200;

/** Runs of all agents, whatever process they run in, of the session last updated first. */
export async function listRuns(exchange: StudioExchange): Promise<Response> {
  const { url, reader, keepingAgents: agents } = exchange;
  const status = choiceOf(url, "status", PHASES);
  const sessionId = url.searchParams.get("sessionId");
  if (sessionId !== null) return jsonResponse({ runs: await runsOfSession(exchange, sessionId) });
  const limit = limitOf(url);
  const token = url.searchParams.get("continuationToken");
  const isOpen = status === "running" || status === "queued" || status === "expired";
  const scan = new SessionScan(agents, {
    reader,
    ...(isOpen && { activity: "active" }),
    ...(token !== null && {
      from: fieldsOf(fromToken(token), "'continuationToken'")["at"] ?? null,
    }),
  });
  const runs: object[] = [];
  for (let sessions = 0; sessions < MOST_SESSIONS && runs.length < limit; sessions += 1) {
    const next = await scan.next();
    if (next === undefined) return jsonResponse({ runs });
    const { agent, session } = next;
    const found = await agent.inspector.listRuns(session.sessionId, reader);
    const wanted = found.filter(({ phase }) => status === undefined || phase === status);
    runs.push(...wanted.toReversed().map((run) => describe(exchange, agent, run)));
  }
  return jsonResponse({ runs, continuationToken: toToken({ at: scan.position }) });
}

async function runsOfSession(
  exchange: StudioExchange,
  sessionId: string,
): Promise<readonly object[]> {
  const status = choiceOf(exchange.url, "status", PHASES);
  const all = await Promise.all(
    exchange.keepingAgents.map(async (agent) => {
      const runs = await agent.inspector.listRuns(sessionId, exchange.reader);
      return runs.toReversed().map((run) => ({ agent, run }));
    }),
  );
  return all
    .flat()
    .filter(({ run }) => status === undefined || run.phase === status)
    .toSorted((left, right) => right.run.startedAt - left.run.startedAt)
    .map(({ agent, run }) => describe(exchange, agent, run));
}

export async function readRun(exchange: StudioExchange): Promise<Response> {
  const { agent, run } = await getRun(exchange);
  return jsonResponse(describe(exchange, agent, run));
}

/** Ends a run, wherever it runs. */
export async function abortRun(exchange: StudioExchange): Promise<Response> {
  const { agent, run } = await getRun(exchange);
  const { status, previousStatus } = await agent.abort(run.runId, exchange.reader);
  const { run: after } = await getRun(exchange);
  return jsonResponse({ ...describe(exchange, agent, after), previousStatus, abortStatus: status });
}

/** A run from any event on, out of the store: also one of another process, or one that has ended. */
export async function streamRun(exchange: StudioExchange): Promise<Answer> {
  const found = await getRun(exchange);
  const after = placeOf(exchange);
  const say = async (stream: TextStream): Promise<void> => {
    try {
      await sayRun(exchange, { ...found, after }, stream);
    } catch (error) {
      stream.say(errorFrame(exchange.tell(error)));
    }
  };
  return exchange.stream(say, { ping: PING_FRAME, mostMs: exchange.services.limits.streamMs });
}

interface FoundRun {
  readonly agent: ServedAgent;
  readonly run: InspectedRun;
}

async function sayRun(
  exchange: StudioExchange,
  { agent, run, after }: FoundRun & { readonly after: number },
  stream: TextStream,
): Promise<void> {
  const { runId, sessionId, isReadable, snapshotIds } = run;
  const span = exchange.traces?.spanOfRun(runId);
  const snapshotId = snapshotIds.at(-1);
  const input = await agent.findOpenMessage(runId, exchange.reader);
  const first = runFrame({
    runId,
    sessionId,
    ...(snapshotId !== undefined && { snapshotId }),
    ...(span && { traceId: span.traceId }),
    ...(input && { input }),
    replay: true,
  });
  stream.say(OPEN_FRAME + first);
  const last = isReadable
    ? await sayEvents(exchange, { agent, run, after }, stream)
    : await sayWhatIsLeft(exchange, { agent, run }, stream);
  if (stream.isOver) return;
  const output = await outputOf(exchange, { agent, run }, last);
  stream.say(await lastFrames(exchange, { agent, output, span }));
}

// What left no snapshot is told by the log, as long as that is there.
async function outputOf(
  { reader, gone }: StudioExchange,
  { agent, run: { runId, sessionId, isReadable } }: FoundRun,
  last: string | undefined,
): Promise<AgentOutputData<never>> {
  if (last !== undefined) return await agent.getOutput(last, reader);
  return isReadable ? await agent.findOutput(runId, { ...reader, signal: gone }) : { sessionId };
}

/** The snapshot that the run ended in. */
async function sayEvents(
  exchange: StudioExchange,
  { agent, run: { runId, sessionId }, after }: FoundRun & { readonly after: number },
  stream: TextStream,
): Promise<string | undefined> {
  const frames = new RunFrames({ sessionId, after });
  await new RunFeed({ agent, runId, exchange }).sayTo(stream, frames.encode);
  return frames.snapshotId;
}

// The events were swept: what they led to is all there is to say.
async function sayWhatIsLeft(
  { reader }: StudioExchange,
  { agent, run: { sessionId, snapshotIds } }: FoundRun,
  stream: TextStream,
): Promise<string | undefined> {
  const last = snapshotIds.at(-1);
  const state = last === undefined ? undefined : (await agent.getSnapshot(last, reader)).state;
  const shown = stateView(state, "all");
  stream.say(resetFrame({ sessionId, ...(last && { snapshotId: last }), ...shown }));
  return last;
}

// A run's id names its session, and not its agent.
async function getRun(exchange: StudioExchange): Promise<FoundRun> {
  const runId = exchange.named("run");
  const sessionId = sessionIdOf(runId);
  for (const agent of sessionId === undefined ? [] : exchange.keepingAgents) {
    const runs = await agent.inspector.listRuns(sessionId ?? "", exchange.reader);
    const run = runs.find((one) => one.runId === runId);
    if (run) return { agent, run };
  }
  throw new TurnkeepError("NOT_FOUND", `Run '${runId}' not found.`);
}

function describe(exchange: StudioExchange, agent: ServedAgent, run: InspectedRun): object {
  const { phase, leaseUntil: _lease, ...rest } = run;
  const span = exchange.traces?.spanOfRun(run.runId);
  return {
    ...rest,
    agentName: agent.name,
    status: phase,
    /** Whether this process works on it. */
    isHere: agent.isRunningHere(run.runId),
    ...(span && { traceId: span.traceId }),
  };
}

// Where the reader was: the header that browsers send by themselves, or the query.
function placeOf(exchange: StudioExchange): number {
  const { request, url } = exchange;
  const last = request.headers.get("last-event-id");
  if (last === null || last === "") return countOf(url, "after") ?? 0;
  const { runId, seq } = parseEventId(last);
  if (runId === exchange.named("run")) return seq;
  throw invalid("The last event is one of another run.");
}
