import type { LightSpan, TraceDetail, TraceSummary } from "./types.ts";

type Row = readonly [
  spanId: string,
  parent: number | null,
  name: string,
  kind: LightSpan["kind"],
  start: number,
  end: number | null,
  statusCode: number,
  inputTokens: number,
  outputTokens: number,
];

/** A trace as it is sent: a row for each span, times since the trace began. */
export interface TraceTable extends TraceSummary {
  readonly spans: readonly Row[];
  readonly droppedSpans: number;
}

export function fromTable({ spans, ...trace }: TraceTable): TraceDetail {
  const { startTime: origin } = trace;
  const spanOf = (row: Row): LightSpan => {
    const [spanId, parent, name, kind, start, end, statusCode, inputTokens, outputTokens] = row;
    const parentSpanId = parent === null ? undefined : spans[parent]?.[0];
    return {
      spanId,
      ...(parentSpanId !== undefined && { parentSpanId }),
      name,
      kind,
      startTime: origin + start,
      ...(end !== null && { endTime: origin + end }),
      statusCode,
      inputTokens,
      outputTokens,
    };
  };
  return { ...trace, spans: spans.map(spanOf) };
}
