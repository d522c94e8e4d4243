import type {
  Attributes,
  AttributeValue,
  Exception,
  HrTime,
  Link,
  Span,
  SpanContext,
  SpanStatus,
  TimeInput,
} from "@opentelemetry/api";
import { systemClock } from "../ledger/index.ts";
import type { RecordedSpan } from "./trace-store.ts";

export interface LightSpanOptions {
  readonly name: string;
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
  readonly anchor: TimeAnchor;
  readonly startTime: TimeInput | undefined;
  readonly attributes: Attributes | undefined;
  readonly onEnd: (span: LightSpan) => void;
}

/** A span that keeps what a `TraceStore` reads, and no more. */
export class LightSpan implements Span, RecordedSpan {
  name: string;
  readonly parentSpanContext: SpanContext | undefined;
  readonly startTime: HrTime;
  endTime: HrTime = [0, 0];
  status: SpanStatus = { code: 0 };
  readonly attributes: Record<string, AttributeValue> = {};
  readonly events: { readonly name: string; readonly time: HrTime }[] = [];
  readonly anchor: TimeAnchor;
  readonly #context: SpanContext;
  readonly #onEnd: (span: LightSpan) => void;
  #isRecording = true;

  constructor(options: LightSpanOptions) {
    this.name = options.name;
    this.#context = options.context;
    this.parentSpanContext = options.parent;
    this.anchor = options.anchor;
    this.startTime = this.#timeOf(options.startTime);
    this.#onEnd = options.onEnd;
    this.setAttributes(options.attributes ?? {});
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  isRecording(): boolean {
    return this.#isRecording;
  }

  setAttribute(name: string, value: AttributeValue): this {
    // Whatever else callers without types pass is left out, as by every SDK.
    if (this.#isRecording && isAttributeValue(value)) this.attributes[name] = value;
    return this;
  }

  setAttributes(attributes: Attributes): this {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== undefined) this.setAttribute(name, value);
    }
    return this;
  }

  addEvent(name: string, attributesOrTime?: Attributes | TimeInput, time?: TimeInput): this {
    if (!this.#isRecording) return this;
    const at = isTime(attributesOrTime) ? attributesOrTime : time;
    this.events.push({ name, time: this.#timeOf(at) });
    return this;
  }

  recordException(_exception: Exception, time?: TimeInput): void {
    this.addEvent("exception", time);
  }

  addLink(_link: Link): this {
    return this;
  }

  addLinks(_links: Link[]): this {
    return this;
  }

  setStatus(status: SpanStatus): this {
    if (this.#isRecording) this.status = { ...status };
    return this;
  }

  updateName(name: string): this {
    if (this.#isRecording) this.name = name;
    return this;
  }

  end(time?: TimeInput): void {
    if (!this.#isRecording) return;
    this.endTime = this.#timeOf(time);
    this.#isRecording = false;
    this.#onEnd(this);
  }

  #timeOf(time: TimeInput | undefined): HrTime {
    if (Array.isArray(time)) return time;
    if (time instanceof Date) return toHrTime(time.getTime());
    if (time === undefined) return toHrTime(this.anchor.now());
    // Smaller numbers are counted from the start of the process, by OpenTelemetry's convention.
    return toHrTime(time < performance.timeOrigin ? performance.timeOrigin + time : time);
  }
}

/** Measures the spans of one trace by the same clock, finer than by milliseconds, so that they fit into each other. */
export class TimeAnchor {
  readonly #wall = systemClock.now();
  readonly #since = elapsed();

  /** Milliseconds since 1970. */
  now(): number {
    return this.#wall + elapsed() - this.#since;
  }
}

function elapsed(): number {
  // oxlint-disable-next-line no-restricted-properties -- measures a duration that nothing depends on
  return performance.now();
}

function toHrTime(milliseconds: number): HrTime {
  const seconds = Math.trunc(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}

function isTime(value: Attributes | TimeInput | undefined): value is TimeInput {
  return typeof value === "number" || value instanceof Date || Array.isArray(value);
}

const SCALARS: ReadonlySet<string> = new Set(["string", "number", "boolean"]);

function isAttributeValue(value: unknown): value is AttributeValue {
  if (SCALARS.has(typeof value)) return true;
  return (
    Array.isArray(value) &&
    value.every((item) => item === null || item === undefined || SCALARS.has(typeof item))
  );
}
