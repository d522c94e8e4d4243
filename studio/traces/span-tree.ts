import type { Json } from "turnkeep/protocol";
import type { Span } from "../api/types.ts";

/** A span with its place in the waterfall. */
export interface SpanRow {
  readonly span: Span;
  readonly depth: number;
}

/** Parents before their children, earlier before later. */
export function spanRows(spans: readonly Span[]): readonly SpanRow[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const children = new Map<string, Span[]>();
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

/** What a span is, by what its maker says. */
export function spanKind({ attributes }: Span): "model" | "tool" | "agent" | "other" {
  const kind = attributes["genkit:metadata:subtype"] ?? attributes["genkit:type"];
  return kind === "model" || kind === "tool" || kind === "agent" ? kind : "other";
}

/** The tokens that a span tells of, however its maker names them. */
export function spanTokens({ attributes }: Span): {
  readonly input: number;
  readonly output: number;
} {
  const numberOf = (...names: readonly string[]): number => {
    const found = names.map((name) => attributes[name]).find((value) => typeof value === "number");
    return typeof found === "number" ? found : 0;
  };
  return {
    input: numberOf("gen_ai.usage.input_tokens", "genkit:metadata:usage:inputTokens"),
    output: numberOf("gen_ai.usage.output_tokens", "genkit:metadata:usage:outputTokens"),
  };
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
