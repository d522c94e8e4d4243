import { type Answer, jsonResponse, sayAll } from "../http/index.ts";
import { encodeSse, type Json, TurnkeepError } from "../protocol/index.ts";
import { Mailbox } from "./mailbox.ts";
import { timeOf } from "./find-sessions.ts";
import { choiceOf, countOf, limitOf } from "./query.ts";
import { redactedSpan } from "./redacted-span.ts";
import { OPEN_FRAME, PING_FRAME } from "./run-frames.ts";
import { spanFacts } from "./span-facts.ts";
import { spanTable } from "./span-table.ts";
import type { StudioExchange } from "./studio-exchange.ts";
import type { Trace, TracedSpan, TraceStore } from "./trace-store.ts";

const MOST_SPANS = 5000;
const SESSION = "genkit:metadata:agent:sessionId";
const RUN = "genkit:metadata:agent:runId";
// As our spans have it, and as the design of agents does.
const SNAPSHOT = ["genkit:metadata:agent:snapshotId", "genkit:metadata:snapshotId"];
const KEY = "genkit:key";
// What was said: shown one span at a time.
const HEAVY: ReadonlySet<string> = new Set(["genkit:input", "genkit:output"]);

/** Summaries of the traces that are there, the last begun first. */
export async function listTraces(exchange: StudioExchange): Promise<Response> {
  const { url } = exchange;
  const store = storeOf(exchange);
  const matches = matcherOf(url);
  const limit = limitOf(url);
  const offset = countOf(url, "continuationToken") ?? 0;
  const found = store.list().map(summaryOf).filter(matches);
  const traces = found.slice(offset, offset + limit);
  const next = offset + traces.length;
  return jsonResponse({
    traces,
    total: found.length,
    droppedTraces: store.droppedTraces,
    ...(next < found.length && { continuationToken: String(next) }),
  });
}

/** One trace; with `view=light`, its spans as a table of what is drawn of them. */
export async function readTrace(exchange: StudioExchange): Promise<Response> {
  const trace = getTrace(exchange);
  const { droppedSpans } = trace;
  const summary = summaryOf(trace);
  const spans = [...trace.spans.values()].slice(0, MOST_SPANS);
  if (choiceOf(exchange.url, "view", ["light", "full"]) === "light") {
    return jsonResponse({ ...summary, droppedSpans, ...spanTable(spans, summary.startTime) });
  }
  const shown = hides(exchange) ? spans.map(redactedSpan) : spans;
  return jsonResponse({ ...summary, droppedSpans, spans: shown });
}

export async function readSpan(exchange: StudioExchange): Promise<Response> {
  const { spans } = getTrace(exchange);
  const span = spans.get(exchange.named("span"));
  if (span === undefined) throw new TurnkeepError("NOT_FOUND", "The trace has no such span.");
  const shown = hides(exchange) ? { ...redactedSpan(span), redacted: true } : span;
  return jsonResponse({ ...shown, ...spanFacts(span) });
}

/** The spans of a trace as they begin and end, without what came in and went out: first those that are there. */
export async function streamTrace(exchange: StudioExchange): Promise<Answer> {
  const store = storeOf(exchange);
  const trace = getTrace(exchange);
  const { streamMs } = exchange.services.limits;
  const view = hides(exchange) ? redactedSpan : lightSpan;
  const frames = framesOf(store, trace, { view, gone: exchange.gone });
  return exchange.stream((stream) => sayAll(stream, frames), {
    ping: PING_FRAME,
    mostMs: streamMs,
  });
}

async function* framesOf(
  store: TraceStore,
  trace: Trace,
  { view, gone }: { readonly view: SpanView; readonly gone: AbortSignal },
): AsyncGenerator<string> {
  const news = new Mailbox<TracedSpan>(MOST_SPANS, gone);
  const stop = store.listen((traceId, span) => {
    if (traceId === trace.traceId) news.put(span);
  });
  try {
    yield OPEN_FRAME;
    for (const span of trace.spans.values()) yield spanFrame(view(span));
    const batches = news.read();
    while (!isOver(trace) || !news.isEmpty) {
      const { done, value } = await batches.next();
      if (done) return;
      yield value.map((span) => spanFrame(view(span))).join("");
    }
    yield encodeSse({ event: "done", data: "{}" });
  } finally {
    stop();
  }
}

function isOver({ spans }: Trace): boolean {
  return [...spans.values()].every(({ endTime }) => endTime !== undefined);
}

function spanFrame(span: TracedSpan): string {
  const event = span.endTime === undefined ? "span_start" : "span_end";
  return encodeSse({ event, data: JSON.stringify(span) });
}

interface SpanSummary {
  readonly name: string;
  readonly startTime: number;
  readonly endTime?: number;
  readonly status: "running" | "success" | "error";
}

interface TraceSummary extends SpanSummary {
  readonly traceId: string;
  readonly spanCount: number;
  readonly agentName?: string;
  readonly sessionId?: string;
  readonly runId?: string;
  readonly snapshotIds: readonly string[];
}

function summaryOf({ traceId, spans }: Trace): TraceSummary {
  const all = [...spans.values()];
  const root = all.find(({ parentSpanId }) => !spans.has(parentSpanId ?? "")) ?? all[0];
  const textsOf = (name: string): readonly string[] =>
    all.map(({ attributes }) => attributes[name]).filter(isText);
  const agentKey = textsOf(KEY).find((key) => key.startsWith("/agent/"));
  const [sessionId] = textsOf(SESSION);
  const [runId] = textsOf(RUN);
  return {
    traceId,
    ...(root ? spanSummary(root) : NO_SPAN),
    spanCount: spans.size,
    ...(agentKey !== undefined && { agentName: agentKey.slice("/agent/".length) }),
    ...(sessionId !== undefined && { sessionId }),
    ...(runId !== undefined && { runId }),
    snapshotIds: [...new Set(SNAPSHOT.flatMap(textsOf))],
  };
}

const NO_SPAN: SpanSummary = { name: "", startTime: 0, status: "running" };

function spanSummary({ name, startTime, endTime, statusCode }: TracedSpan): SpanSummary {
  if (endTime === undefined) return { name, startTime, status: "running" };
  return { name, startTime, endTime, status: statusCode === 2 ? "error" : "success" };
}

// Transforms know nothing of spans, so what they might hide is not shown at all.
function hides({ services, studio }: StudioExchange): boolean {
  if (studio.options.revealRaw) return false;
  return services.agents.list().some(({ redacts }) => redacts);
}

/** What is shown of a span. */
type SpanView = (span: TracedSpan) => TracedSpan;

function lightSpan({ attributes, ...rest }: TracedSpan): TracedSpan {
  const light = Object.entries(attributes).filter(([name]) => !HEAVY.has(name));
  return { ...rest, attributes: Object.fromEntries(light) };
}

function matcherOf(url: URL): (trace: TraceSummary) => boolean {
  const { searchParams } = url;
  const status = choiceOf(url, "status", ["running", "success", "error"]);
  const words = (searchParams.get("q") ?? "").toLowerCase();
  const from = timeOf(url, "from") ?? Number.NEGATIVE_INFINITY;
  const to = timeOf(url, "to") ?? Number.POSITIVE_INFINITY;
  const asked = (["agent", "sessionId", "runId", "snapshotId"] as const).flatMap((name) => {
    const value = searchParams.get(name);
    return value === null ? [] : [{ name, value }];
  });
  return (trace) =>
    (status === undefined || trace.status === status) &&
    `${trace.name} ${trace.traceId}`.toLowerCase().includes(words) &&
    trace.startTime >= from &&
    trace.startTime <= to &&
    asked.every(({ name, value }) => valuesOf(trace, name).includes(value));
}

function valuesOf(
  trace: TraceSummary,
  name: "agent" | "sessionId" | "runId" | "snapshotId",
): readonly (string | undefined)[] {
  if (name === "agent") return [trace.agentName];
  return name === "snapshotId" ? trace.snapshotIds : [trace[name]];
}

function getTrace(exchange: StudioExchange): Trace {
  const traceId = exchange.named("trace");
  const trace = storeOf(exchange).find(traceId);
  if (trace) return trace;
  throw new TurnkeepError(
    "NOT_FOUND",
    `Trace '${traceId}' is not there: it was never recorded here, or had to make room.`,
  );
}

function storeOf({ traces, isConfined }: StudioExchange): TraceStore {
  if (traces) return traces;
  if (isConfined) {
    throw new TurnkeepError(
      "PERMISSION_DENIED",
      "Traces are not kept apart by tenant, so they are for those who may see all of them.",
    );
  }
  throw new TurnkeepError(
    "UNIMPLEMENTED",
    "No traces are collected: an OpenTelemetry SDK is registered, or 'traces' is false. Hand a TraceStore to the SDK as a span processor, and to createReflection as 'traces'.",
  );
}

function isText(value: Json | undefined): value is string {
  return typeof value === "string";
}
