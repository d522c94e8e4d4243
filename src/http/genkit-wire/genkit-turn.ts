import { chunkJsonOf, type RunUpdate } from "../../agent/index.ts";
import { checkNames, type Json, type KnownNames, TurnkeepError } from "../../protocol/index.ts";
import type { Answer } from "../answer.ts";
import type { Exchange } from "../exchange.ts";
import { jsonResponse } from "../json-response.ts";
import { type StartedRun, startRun } from "../start-run.ts";
import type { TextStream } from "../text-stream.ts";
import { chunkFrame, errorFrame, PING_FRAME, resultFrame } from "./genkit-frames.ts";

/** One turn, as Genkit's clients ask for it: `{ data, init }`, answered by JSON or by a stream. */
export async function genkitTurn(exchange: Exchange): Promise<Answer> {
  // Before the answer begins, so that an agent which is not there is a 404 and no stream.
  void exchange.agent;
  if (exchange.wantsStream) exchange.openStream();
  const body = await exchange.json();
  if (exchange.wantsStream) {
    return exchange.stream((stream) => sayTurn(exchange, body, stream), { ping: PING_FRAME });
  }
  const { feed } = await startTurn(exchange, body);
  return jsonResponse({ result: exchange.show(await feed.output()) });
}

// Whatever goes wrong is said in the stream: Genkit's client reads a status nowhere else.
async function sayTurn(exchange: Exchange, body: Json, stream: TextStream): Promise<void> {
  try {
    const { feed } = await startTurn(exchange, body);
    await feed.sayTo(stream, chunkText);
    if (stream.isOver) return;
    stream.say(resultFrame(exchange.show(await feed.output())));
  } catch (error) {
    stream.say(errorFrame(exchange.tell(error)));
  }
}

const FIELDS: KnownNames = {
  kind: "request field",
  names: ["data", "init"],
  hints: { input: "data" },
};

async function startTurn(exchange: Exchange, body: Json): Promise<StartedRun> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw noData();
  checkNames(body, FIELDS);
  const { data, init = {} } = body as Readonly<Record<string, Json>>;
  if (data === undefined) throw noData();
  const { agent } = exchange;
  return await startRun(exchange, agent.parseClientInput(data), agent.parseClientInit(init));
}

function noData(): TurnkeepError {
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    "The body must be an object with 'data', the input of the turn: {} retries a failed one.",
  );
}

function chunkText(update: RunUpdate): string {
  const json = chunkJsonOf(update);
  return json === undefined ? "" : chunkFrame(json);
}
