import type { CallOptions } from "../../agent/index.ts";
import {
  type AgentInit,
  type AgentInput,
  type Json,
  parseAgentInit,
  TurnkeepError,
} from "../../protocol/index.ts";
import { parseClientInput } from "../check-client-input.ts";
import { shownOutput } from "../client-error.ts";
import type { Exchange } from "../exchange.ts";
import { jsonResponse } from "../json-response.ts";
import { chunkFrame, errorFrame, PING_FRAME, resultFrame } from "./genkit-frames.ts";

/** One turn, as Genkit's clients ask for it: `{ data, init }`, answered by JSON or by a stream. */
export async function genkitTurn(exchange: Exchange): Promise<Response> {
  const { agent } = exchange;
  exchange.countSubmission();
  const body = await exchange.json();
  const gone = new AbortController();
  const start = (): { readonly input: AgentInput; readonly options: CallOptions<never> } => {
    const { input, init } = parseTurn(body);
    // Without a store nobody can come back for the answer.
    const isCarried = agent.metadata.stateManagement === "client";
    const signal = isCarried ? { signal: gone.signal } : {};
    return { input, options: { ...exchange.sender, ...init, ...signal } };
  };
  if (exchange.wantsStream) {
    const frames = streamTurn(exchange, start);
    return exchange.stream(frames, { ping: PING_FRAME, onEnd: () => gone.abort(null) });
  }
  const { input, options } = start();
  return jsonResponse({ result: shownOutput(await agent.run(input, options)) });
}

// Whatever goes wrong is said in the stream: Genkit's client reads a status nowhere else.
async function* streamTurn(
  { agent }: Exchange,
  start: () => { readonly input: AgentInput; readonly options: CallOptions<never> },
): AsyncGenerator<string> {
  try {
    const { input, options } = start();
    const { chunks, output } = agent.stream(input, options);
    for await (const chunk of chunks) yield chunkFrame(chunk);
    yield resultFrame(await output);
  } catch (error) {
    yield errorFrame(error);
  }
}

function parseTurn(body: Json): { readonly input: AgentInput; readonly init: AgentInit<never> } {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new TurnkeepError("INVALID_ARGUMENT", "The body must be an object with 'data'.");
  }
  const { data = {}, init } = body as Readonly<Record<string, Json>>;
  return {
    input: parseClientInput(data),
    init: parseAgentInit(init ?? {}) as AgentInit<never>,
  };
}
