import { type AgentConnection, type RunUpdate, sessionIdOf } from "../../agent/index.ts";
import { parseEventId, type AgentOutput, TurnkeepError } from "../../protocol/index.ts";
import { parseClientInput } from "../check-client-input.ts";
import type { Exchange } from "../exchange.ts";
import { jsonResponse } from "../json-response.ts";
import { errorFrame, PING_FRAME, resultFrame, runFrame, updateFrame } from "./native-frames.ts";
import { callOf, countOf, fieldsOf } from "./parse-request.ts";

/** Takes an input in. Answers at once with the run, or streams it; either way it goes on by itself. */
export async function submitRun(exchange: Exchange): Promise<Response> {
  exchange.countSubmission();
  const { agent } = exchange;
  const fields = fieldsOf(await exchange.json());
  const input = parseClientInput(fields["input"] ?? {});
  const options = { ...exchange.sender, ...callOf(fields) };
  const connection = agent.connect(options);
  try {
    await connection.send(input);
  } catch (error) {
    return answerRepeated(exchange, error);
  } finally {
    connection.close();
  }
  const { runId, sessionId } = connection;
  if (!exchange.wantsStream) return await answerAccepted(connection);
  const frames = streamRun({ runId, sessionId }, connection.events(), () => connection.output());
  return exchange.stream(frames, { ping: PING_FRAME });
}

/** A run from any event on: what was said, then what is being said. */
export async function readRun(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader, services } = exchange;
  const runId = exchange.named("run");
  const after = placeOf(exchange);
  const gone = new AbortController();
  const updates = agent.attach(runId, { ...reader, signal: gone.signal });
  // The first one is awaited here, so that a run which is not there is a 404 and no stream.
  const first = await updates.next();
  const watched = new WatchedUpdates(first, updates, after);
  const output = async (): Promise<AgentOutput<never>> =>
    watched.snapshotId === undefined ? {} : await agent.getOutput(watched.snapshotId, reader);
  const frames = streamRun({ runId, sessionId: sessionIdOf(runId) ?? "" }, watched.read(), output);
  return exchange.stream(frames, {
    ping: PING_FRAME,
    mostMs: services.limits.streamMs,
    onEnd: () => gone.abort(null),
  });
}

export async function abortRun(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  return jsonResponse(await agent.abort(exchange.named("run"), reader));
}

async function answerAccepted(connection: AgentConnection<never>): Promise<Response> {
  const { runId, sessionId } = connection;
  if (await connection.hasStarted) return jsonResponse({ runId, sessionId }, { status: 202 });
  const { error } = await connection.output();
  throw new TurnkeepError(error?.status ?? "INTERNAL", error?.message ?? "The run did not start.");
}

// A request that was accepted before is answered as it was then.
async function answerRepeated(exchange: Exchange, error: unknown): Promise<Response> {
  const isRepeated = TurnkeepError.is(error) && error.status === "ALREADY_EXISTS";
  const runId = isRepeated ? error.details["runId"] : undefined;
  if (typeof runId !== "string") throw error;
  const headers = { "idempotent-replay": "true" };
  const sessionId = sessionIdOf(runId) ?? "";
  if (!exchange.wantsStream) return jsonResponse({ runId, sessionId }, { headers });
  const response = await readRun(exchange.at("run", runId));
  response.headers.set("idempotent-replay", "true");
  return response;
}

async function* streamRun(
  run: { readonly runId: string; readonly sessionId: string },
  updates: AsyncIterable<RunUpdate>,
  output: () => Promise<AgentOutput<never>>,
): AsyncGenerator<string> {
  try {
    yield runFrame(run);
    for await (const update of updates) yield updateFrame(update);
    yield resultFrame(await output());
  } catch (error) {
    yield errorFrame(error);
  }
}

/** The updates that a reader does not have yet. Of all of them it is noted which snapshot the last turn ended in. */
class WatchedUpdates {
  readonly #first: IteratorResult<RunUpdate>;
  readonly #rest: AsyncIterable<RunUpdate>;
  readonly #after: number;
  #snapshotId: string | undefined;

  constructor(first: IteratorResult<RunUpdate>, rest: AsyncIterable<RunUpdate>, after: number) {
    this.#first = first;
    this.#rest = rest;
    this.#after = after;
  }

  get snapshotId(): string | undefined {
    return this.#snapshotId;
  }

  async *read(): AsyncGenerator<RunUpdate> {
    if (this.#first.done) return;
    yield* this.#unseen(this.#first.value);
    for await (const update of this.#rest) yield* this.#unseen(update);
  }

  #unseen(update: RunUpdate): readonly RunUpdate[] {
    this.#snapshotId = update.chunk?.turnEnd?.snapshotId ?? this.#snapshotId;
    return update.seq > this.#after ? [update] : [];
  }
}

// Where the reader was: the header that browsers send by themselves, or the query.
function placeOf({ request, url }: Exchange): number {
  const last = request.headers.get("last-event-id");
  if (last !== null && last !== "") return parseEventId(last).seq;
  return countOf(url, "after") ?? 0;
}
