import type { TracedSpan, TraceStore } from "./trace-store.ts";
import { percentiles } from "./percentiles.ts";

/** How often models and tools were called, and how long they took, by the traces that are there. */
export function spansByKind(
  traces: TraceStore,
  { from, to }: { readonly from: number; readonly to: number },
): { readonly byModel: object; readonly byTool: object } {
  const spans = traces
    .list()
    .flatMap(({ spans: all }) => [...all.values()])
    .filter(
      ({ startTime, endTime }) => endTime !== undefined && startTime >= from && msOf(endTime) <= to,
    );
  return { byModel: summaries(spans, "model"), byTool: summaries(spans, "tool") };
}

// Spans tell fractions of a millisecond, clocks do not: one that ended just now must not count as one yet to come.
function msOf(time: number): number {
  return Math.floor(time);
}

function summaries(spans: readonly TracedSpan[], kind: "model" | "tool"): object {
  const named = new Map<string, TracedSpan[]>();
  for (const span of spans) {
    if (span.attributes["genkit:metadata:subtype"] !== kind) continue;
    named.set(span.name, [...(named.get(span.name) ?? []), span]);
  }
  return Object.fromEntries([...named].map(([name, own]) => [name, summaryOf(own)]));
}

function summaryOf(spans: readonly TracedSpan[]): object {
  return {
    calls: spans.length,
    errors: spans.filter(({ statusCode }) => statusCode === 2).length,
    durationMs: percentiles(spans.map(({ startTime, endTime = startTime }) => endTime - startTime)),
  };
}
