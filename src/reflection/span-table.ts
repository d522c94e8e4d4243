import { spanFacts } from "./span-facts.ts";
import type { TracedSpan } from "./trace-store.ts";

const COLUMNS = [
  "spanId",
  "parent",
  "name",
  "kind",
  "start",
  "end",
  "statusCode",
  "inputTokens",
  "outputTokens",
] as const;

/** Spans as rows: a trace has thousands, and their names for everything would be most of it. */
export interface SpanTable {
  readonly columns: typeof COLUMNS;
  readonly spans: readonly (readonly (string | number | null)[])[];
}

/** What a waterfall draws. A parent is the place of its row; times are milliseconds since `origin`. */
export function spanTable(spans: readonly TracedSpan[], origin: number): SpanTable {
  const places = new Map(spans.map(({ spanId }, place) => [spanId, place]));
  const since = (time: number): number => Math.round((time - origin) * 1000) / 1000;
  const rows = spans.map((span) => {
    const { spanId, parentSpanId = "", name, startTime, endTime, statusCode } = span;
    const { kind, inputTokens, outputTokens } = spanFacts(span);
    const parent = places.get(parentSpanId) ?? null;
    const end = endTime === undefined ? null : since(endTime);
    const start = since(startTime);
    return [spanId, parent, name, kind, start, end, statusCode, inputTokens, outputTokens];
  });
  return { columns: COLUMNS, spans: rows };
}
