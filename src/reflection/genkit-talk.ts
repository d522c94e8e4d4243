import type { AgentConnection, CallOptions } from "../agent/index.ts";
import { type Answer, type ServedAgent, submitInput } from "../http/index.ts";
import { type Json, STATUS } from "../protocol/index.ts";
import { parseInput, parseStart } from "./execute-request.ts";
import type { StudioExchange } from "./studio-exchange.ts";

export interface Talk {
  readonly input: Json | undefined;
  readonly init: Json | undefined;
  readonly telemetryLabels: Json | undefined;
}

/** One turn as Genkit's tools ask for it. The headers go out at once, with the name that it can be cancelled by. */
export async function talkTo(
  exchange: StudioExchange,
  agent: ServedAgent,
  { input, init, telemetryLabels }: Talk,
): Promise<Answer> {
  const { url, reader, studio, caller } = exchange;
  const isStreamed = url.searchParams.get("stream") === "true";
  const cancel = new AbortController();
  const options = {
    ...parseStart(agent, init),
    ...reader,
    ...(telemetryLabels !== undefined && { telemetryLabels }),
    signal: cancel.signal,
  };
  const connection = await submitInput(exchange, {
    agent,
    options: options as CallOptions<never>,
    input: parseInput(agent, input),
  });
  // Where nothing records spans, the run's own name serves as well.
  const traceId = connection.span?.traceId ?? connection.runId;
  const { tenant = agent.tenant } = caller;
  studio.actions.set(traceId, { agent, tenant, cancel: () => cancel.abort(null) });
  void connection.done.then(() => studio.actions.delete(traceId));
  const lines = linesOf(exchange, connection, { isStreamed, traceId });
  const contentType = isStreamed ? "text/plain" : "application/json";
  const response = exchange.download(lines, contentType);
  response.headers.set("x-genkit-trace-id", traceId);
  if (connection.span) response.headers.set("x-genkit-span-id", connection.span.spanId);
  return response;
}

async function* linesOf(
  exchange: StudioExchange,
  connection: AgentConnection<never>,
  { isStreamed, traceId }: { readonly isStreamed: boolean; readonly traceId: string },
): AsyncGenerator<string> {
  try {
    if (isStreamed) {
      for await (const chunk of connection.receive()) yield `${JSON.stringify(chunk)}\n`;
    }
    yield JSON.stringify({ result: await connection.output(), telemetry: { traceId } });
  } catch (error) {
    const { status, message, details } = exchange.tell(error);
    yield JSON.stringify({ error: { code: STATUS[status].code, message, details } });
  }
}
