import type { Json } from "../protocol/index.ts";
import { type Fields, fieldsOf } from "./query.ts";
import type { TracedSpan } from "./trace-store.ts";

const KINDS = ["model", "tool", "agent"] as const;

/** What a span is, by what its maker says, and the tokens that it tells of. */
export interface SpanFacts {
  readonly kind: (typeof KINDS)[number] | "other";
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export function spanFacts({ attributes }: TracedSpan): SpanFacts {
  const said = attributes["genkit:metadata:subtype"] ?? attributes["genkit:type"];
  const kind = KINDS.find((one) => one === said) ?? "other";
  const usage = kind === "model" ? usageIn(attributes["genkit:output"]) : {};
  return {
    kind,
    inputTokens: firstNumber(
      attributes["gen_ai.usage.input_tokens"],
      attributes["genkit:metadata:usage:inputTokens"],
      usage["inputTokens"],
    ),
    outputTokens: firstNumber(
      attributes["gen_ai.usage.output_tokens"],
      attributes["genkit:metadata:usage:outputTokens"],
      usage["outputTokens"],
    ),
  };
}

function firstNumber(...values: readonly (Json | undefined)[]): number {
  return values.find((value) => typeof value === "number") ?? 0;
}

// Genkit's models tell their tokens only in what they answer.
function usageIn(output: Json | undefined): Fields {
  if (typeof output !== "string") return {};
  try {
    return fieldsOf(fieldsOf(JSON.parse(output) as Json)["usage"]);
  } catch {
    return {};
  }
}
