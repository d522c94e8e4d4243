import type { TracedSpan } from "./trace-store.ts";

// Names, ids, states and numbers of tokens: what is known to hold nothing that was said. Anything else may.
const SAFE_ATTRIBUTES: ReadonlySet<string> = new Set([
  "error.type",
  "genkit:isFailureSource",
  "genkit:isRoot",
  "genkit:key",
  "genkit:lastKnownParentSpanId",
  "genkit:metadata:agent:runId",
  "genkit:metadata:agent:sessionId",
  "genkit:metadata:agent:snapshotId",
  "genkit:metadata:snapshotId",
  "genkit:metadata:subtype",
  "genkit:metadata:usage:inputTokens",
  "genkit:metadata:usage:outputTokens",
  "genkit:metadata:usage:totalTokens",
  "genkit:name",
  "genkit:path",
  "genkit:state",
  "genkit:type",
  "gen_ai.agent.id",
  "gen_ai.agent.name",
  "gen_ai.conversation.id",
  "gen_ai.operation.name",
  "gen_ai.output.type",
  "gen_ai.provider.name",
  "gen_ai.request.choice.count",
  "gen_ai.request.frequency_penalty",
  "gen_ai.request.max_tokens",
  "gen_ai.request.model",
  "gen_ai.request.presence_penalty",
  "gen_ai.request.seed",
  "gen_ai.request.temperature",
  "gen_ai.request.top_k",
  "gen_ai.request.top_p",
  "gen_ai.response.finish_reasons",
  "gen_ai.response.id",
  "gen_ai.response.model",
  "gen_ai.system",
  "gen_ai.token.type",
  "gen_ai.tool.call.id",
  "gen_ai.tool.name",
  "gen_ai.tool.type",
  "gen_ai.usage.input_tokens",
  "gen_ai.usage.output_tokens",
]);

const SAFE_EVENTS: ReadonlySet<string> = new Set(["exception"]);

/** The span without anything that may hold what an agent's transforms hide: only attributes and events that are known to be safe. */
export function redactedSpan({ attributes, events, ...rest }: TracedSpan): TracedSpan {
  const safe = Object.entries(attributes).filter(([name]) => SAFE_ATTRIBUTES.has(name));
  return {
    ...rest,
    attributes: Object.fromEntries(safe),
    events: events.filter(({ name }) => SAFE_EVENTS.has(name)),
  };
}
