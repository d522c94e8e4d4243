import {
  type Context,
  context,
  ProxyTracerProvider,
  type Span,
  type SpanContext,
  type SpanOptions,
  trace,
  TraceFlags,
  type Tracer,
  type TracerOptions,
  type TracerProvider,
} from "@opentelemetry/api";
import { AsyncContext } from "../agent/index.ts";
import { LightSpan, TimeAnchor } from "./light-span.ts";
import { TraceStore } from "./trace-store.ts";

/** @internal Whether spans are recorded by the light tracer, since no OpenTelemetry SDK is registered. */
export function isRecordingLightly(): boolean {
  return provider.isInUse;
}

/**
 * Records spans into a store for as long as no OpenTelemetry SDK is registered: an SDK that is registered before or later takes the light tracer's
 * place. The store is held weakly; recording into it ends with whoever uses it.
 */
export function recordLightly(store: TraceStore): void {
  provider.use(store);
}

/**
 * Stands in for an SDK without being registered as one: it is the delegate of the API's own proxy, and `trace.setGlobalTracerProvider` replaces that.
 */
class LightTracerProvider implements TracerProvider {
  readonly #stores = new Set<WeakRef<TraceStore>>();
  readonly #activeSpan = new AsyncContext<Span>();

  get isInUse(): boolean {
    const current = trace.getTracerProvider();
    return current instanceof ProxyTracerProvider && current.getDelegate() === this;
  }

  use(store: TraceStore): void {
    if (!this.#list().includes(store)) this.#stores.add(new WeakRef(store));
    const current = trace.getTracerProvider();
    const isFree =
      current instanceof ProxyTracerProvider && current.getDelegateTracer("turnkeep") === undefined;
    if (isFree) current.setDelegate(this);
  }

  getTracer(name: string, version?: string, options?: TracerOptions): Tracer {
    return new LightTracer(this, () => trace.getTracerProvider().getTracer(name, version, options));
  }

  start(name: string, options: SpanOptions, given: Context | undefined): LightSpan {
    const parent = options.root === true ? undefined : this.#parent(given);
    const parentContext = parent?.spanContext();
    const span = new LightSpan({
      name,
      context: newContext(parentContext),
      parent: parentContext,
      anchor: parent instanceof LightSpan ? parent.anchor : new TimeAnchor(),
      startTime: options.startTime,
      attributes: options.attributes,
      onEnd: (ended) => this.#list().forEach((store) => store.onEnd(ended)),
    });
    for (const store of this.#list()) store.onStart(span);
    return span;
  }

  runIn<Result>(span: Span, given: Context, work: () => Result): Result {
    return this.#activeSpan.run(span, () => context.with(trace.setSpan(given, span), work));
  }

  // Without an SDK there is usually no context manager either, so that the active span is known here alone.
  #parent(given: Context | undefined): Span | undefined {
    if (given !== undefined) return trace.getSpan(given);
    return trace.getActiveSpan() ?? this.#activeSpan.get();
  }

  #list(): readonly TraceStore[] {
    const stores: TraceStore[] = [];
    for (const reference of this.#stores) {
      const store = reference.deref();
      if (store) stores.push(store);
      else this.#stores.delete(reference);
    }
    return stores;
  }
}

/** Makes spans; those who hold on to one get the SDK's spans from it as soon as there is an SDK. */
class LightTracer implements Tracer {
  readonly #provider: LightTracerProvider;
  readonly #successor: () => Tracer;

  constructor(owner: LightTracerProvider, successor: () => Tracer) {
    this.#provider = owner;
    this.#successor = successor;
  }

  startSpan(name: string, options: SpanOptions = {}, given?: Context): Span {
    if (!this.#provider.isInUse) return this.#successor().startSpan(name, options, given);
    return this.#provider.start(name, options, given);
  }

  startActiveSpan<Work extends (span: Span) => unknown>(
    name: string,
    ...rest: readonly [...options: readonly (SpanOptions | Context | undefined)[], work: Work]
  ): ReturnType<Work> {
    const work = rest.at(-1) as Work;
    const [options, given] = rest.slice(0, -1) as [SpanOptions?, Context?];
    if (!this.#provider.isInUse) {
      const active = given ?? context.active();
      return this.#successor().startActiveSpan(name, options ?? {}, active, work);
    }
    const span = this.#provider.start(name, options ?? {}, given);
    const active = given ?? context.active();
    return this.#provider.runIn(span, active, () => work(span)) as ReturnType<Work>;
  }
}

function newContext(parent: SpanContext | undefined): SpanContext {
  return {
    traceId: parent?.traceId ?? randomHex(16),
    spanId: randomHex(8),
    traceFlags: TraceFlags.SAMPLED,
  };
}

function randomHex(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const provider = new LightTracerProvider();
let shared: TraceStore | undefined;

/** The store of reflection APIs that were given none. The process has one, since spans are the process's. */
export function ownTraces(): TraceStore {
  shared ??= new TraceStore();
  return shared;
}
