import type { Json } from "turnkeep/protocol";
import type { LightSpan, Span } from "../api/types.ts";

/** A span with its place in the waterfall. */
export interface SpanRow {
  readonly span: LightSpan;
  readonly depth: number;
}

/** Parents before their children, earlier before later. */
export function spanRows(spans: readonly LightSpan[]): readonly SpanRow[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const children = new Map<string, LightSpan[]>();
  for (const span of spans) {
    const parent = known.has(span.parentSpanId ?? "") ? (span.parentSpanId ?? "") : "";
    const siblings = children.get(parent);
    if (siblings) siblings.push(span);
    else children.set(parent, [span]);
  }
  const rows: SpanRow[] = [];
  const visit = (parent: string, depth: number): void => {
    const own = children.get(parent) ?? [];
    for (const span of own.toSorted((left, right) => left.startTime - right.startTime)) {
      rows.push({ span, depth });
      visit(span.spanId, depth + 1);
    }
  };
  visit("", 0);
  return rows;
}

/** What went in or came out, read as JSON where it is. */
export function spanValue(
  { attributes }: Span,
  name: "genkit:input" | "genkit:output",
): Json | undefined {
  const value = attributes[name];
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
