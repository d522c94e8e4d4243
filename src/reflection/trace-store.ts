import type { SpanName } from "../agent/index.ts";
import type { Json } from "../protocol/index.ts";

/** The part of an OpenTelemetry SDK's finished span that is read. */
export interface RecordedSpan {
  readonly name: string;
  readonly spanContext: () => { readonly traceId: string; readonly spanId: string };
  readonly parentSpanContext?: { readonly spanId: string } | undefined;
  readonly parentSpanId?: string | undefined;
  readonly startTime: readonly [seconds: number, nanoseconds: number];
  readonly endTime: readonly [seconds: number, nanoseconds: number];
  readonly status: { readonly code: number; readonly message?: string | undefined };
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly {
    readonly name: string;
    readonly time: readonly [seconds: number, nanoseconds: number];
    readonly attributes?: Readonly<Record<string, unknown>> | undefined;
  }[];
}

/** A span as it is kept. Times are milliseconds since 1970. */
export interface TracedSpan {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTime: number;
  /** Absent while it lasts. */
  readonly endTime?: number;
  /** 2 is an error, as OpenTelemetry counts. */
  readonly statusCode: number;
  readonly attributes: Readonly<Record<string, Json>>;
  readonly events: readonly { readonly name: string; readonly time: number }[];
}

/** One trace: the spans of one run, and of whatever called it. */
export interface Trace {
  readonly traceId: string;
  readonly spans: ReadonlyMap<string, TracedSpan>;
  /** Spans that were not kept, since the trace has too many. */
  readonly droppedSpans: number;
}

/** How much of the past is kept in memory. */
export interface TraceStoreOptions {
  /** 1,000 unless told. The oldest goes. */
  readonly mostTraces?: number;
  /** 5,000 unless told. Later ones are counted and not kept. */
  readonly mostSpans?: number;
}

/** Is told that a span of a trace began or ended. */
export type TraceListener = (traceId: string, span: TracedSpan) => void;

const RUN = "genkit:metadata:agent:runId";

/**
 * Keeps the last traces in memory. It is a span processor: hand it to the OpenTelemetry SDK as one of `spanProcessors`, and to `createReflection` as
 * `traces`.
 */
export class TraceStore {
  readonly #traces = new Map<string, KeptTrace>();
  readonly #runs = new Map<string, SpanName>();
  readonly #listeners = new Set<TraceListener>();
  readonly #options: Required<TraceStoreOptions>;
  #droppedTraces = 0;

  constructor({ mostTraces = 1000, mostSpans = 5000 }: TraceStoreOptions = {}) {
    this.#options = { mostTraces, mostSpans };
  }

  /** How many traces went to make room. */
  get droppedTraces(): number {
    return this.#droppedTraces;
  }

  /** Those that are there, the last begun first. */
  list(): readonly Trace[] {
    return [...this.#traces.values()].toReversed();
  }

  find(traceId: string): Trace | undefined {
    return this.#traces.get(traceId);
  }

  /** The span of a run, by the id that clients know it by. */
  spanOfRun(runId: string): SpanName | undefined {
    return this.#runs.get(runId);
  }

  /** Listens until the returned function is called. */
  listen(listener: TraceListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  onStart(span: RecordedSpan): void {
    this.#keep(span, false);
  }

  onEnd(span: RecordedSpan): void {
    this.#keep(span, true);
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}

  #keep(span: RecordedSpan, hasEnded: boolean): void {
    const { traceId, spanId } = span.spanContext();
    const trace = this.#traces.get(traceId) ?? this.#begin(traceId);
    if (trace.spans.size >= this.#options.mostSpans && !trace.spans.has(spanId)) {
      // Counted once, when it begins.
      if (!hasEnded) trace.droppedSpans += 1;
      return;
    }
    const kept = tracedSpan(span, hasEnded);
    trace.spans.set(spanId, kept);
    const runId = kept.attributes[RUN];
    if (typeof runId === "string") this.#runs.set(runId, { traceId, spanId });
    for (const listener of this.#listeners) listener(traceId, kept);
  }

  #begin(traceId: string): KeptTrace {
    const [oldest] = this.#traces.keys();
    if (this.#traces.size >= this.#options.mostTraces && oldest !== undefined) this.#drop(oldest);
    const trace: KeptTrace = { traceId, spans: new Map(), droppedSpans: 0 };
    this.#traces.set(traceId, trace);
    return trace;
  }

  #drop(traceId: string): void {
    this.#traces.delete(traceId);
    this.#droppedTraces += 1;
    for (const [runId, span] of this.#runs) if (span.traceId === traceId) this.#runs.delete(runId);
  }
}

interface KeptTrace extends Trace {
  readonly spans: Map<string, TracedSpan>;
  droppedSpans: number;
}

function tracedSpan(span: RecordedSpan, hasEnded: boolean): TracedSpan {
  const parentSpanId = span.parentSpanContext?.spanId ?? span.parentSpanId;
  return {
    spanId: span.spanContext().spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name: span.name,
    startTime: milliseconds(span.startTime),
    ...(hasEnded && { endTime: milliseconds(span.endTime) }),
    statusCode: span.status.code,
    attributes: plainAttributes(span.attributes),
    events: span.events.map(({ name, time }) => ({ name, time: milliseconds(time) })),
  };
}

function milliseconds([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1000 + nanoseconds / 1e6;
}

// A copy: the span goes on changing its own until it ends.
function plainAttributes(attributes: Readonly<Record<string, unknown>>): Record<string, Json> {
  const said = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return JSON.parse(JSON.stringify(Object.fromEntries(said))) as Record<string, Json>;
}
