import { sessionIdOf } from "../../agent/index.ts";
import { parseEventId, TurnkeepError } from "../../protocol/index.ts";
import type { Answer } from "../answer.ts";
import type { Exchange } from "../exchange.ts";
import { jsonResponse } from "../json-response.ts";
import { RunFeed } from "../run-feed.ts";
import { type Feed, startRun } from "../start-run.ts";
import type { TextStream } from "../text-stream.ts";
import { errorFrame, PING_FRAME, resultFrame, runFrame, updateFrame } from "./native-frames.ts";
import { callOf, countOf, fieldsOf } from "./parse-request.ts";

const RUN_FIELDS = ["input", "init", "onBusy", "expectedHead", "requestId"];

/** Takes an input in. Answers at once with the run, or streams it; either way a run that is kept goes on by itself. */
export async function submitRun(exchange: Exchange): Promise<Answer> {
  // Whatever a run without a store comes to is only said while it runs.
  if (!exchange.wantsStream) void exchange.keepingAgent;
  else exchange.openStream();
  const fields = fieldsOf(await exchange.json(), RUN_FIELDS, { data: "input" });
  const { agent } = exchange;
  const input = agent.parseClientInput(fields["input"]);
  const run = await startRun(exchange, input, callOf(agent, fields));
  const headers: Record<string, string> = run.isReplay ? { "idempotent-replay": "true" } : {};
  if (exchange.wantsStream) return streamRun(exchange, run, headers);
  run.feed.leave();
  await run.checkStarted();
  const { runId, sessionId, isReplay } = run;
  return jsonResponse({ runId, sessionId }, { status: isReplay ? 200 : 202, headers });
}

/** A run from any event on: what was said, then what is being said. */
export async function readRun(exchange: Exchange): Promise<Answer> {
  const { keepingAgent: agent } = exchange;
  const runId = exchange.named("run");
  const feed = new RunFeed({ agent, runId, exchange, after: placeOf(exchange) });
  exchange.openStream();
  // Before the answer begins, so that a run which is not there is a 404 and no stream.
  await feed.find();
  return streamRun(exchange, { runId, sessionId: sessionIdOf(runId) ?? "", feed });
}

export async function abortRun(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  return jsonResponse(await agent.abort(exchange.named("run"), reader));
}

interface StreamedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly feed: Feed;
}

function streamRun(
  exchange: Exchange,
  run: StreamedRun,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const { streamMs } = exchange.services.limits;
  const answer = exchange.stream((stream) => sayRun(exchange, run, stream), {
    ping: PING_FRAME,
    // Whoever comes back for the rest signs in again.
    ...(exchange.isKept && { mostMs: streamMs }),
  });
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}

async function sayRun(
  exchange: Exchange,
  { runId, sessionId, feed }: StreamedRun,
  stream: TextStream,
): Promise<void> {
  try {
    stream.say(runFrame({ runId, sessionId }));
    await feed.sayTo(stream, updateFrame);
    // Nobody is there to be told how it came out, which may be a long way to find out.
    if (stream.isOver) return;
    stream.say(resultFrame(exchange.show(await feed.output())));
  } catch (error) {
    stream.say(errorFrame(exchange.tell(error)));
  }
}

// Where the reader was: the header that browsers send by themselves, or the query.
function placeOf(exchange: Exchange): number {
  const last = exchange.request.headers.get("last-event-id");
  if (last === null || last === "") return countOf(exchange.url, "after") ?? 0;
  const { runId, seq } = parseEventId(last);
  if (runId === exchange.named("run")) return seq;
  throw new TurnkeepError("INVALID_ARGUMENT", "The last event is one of another run.");
}
