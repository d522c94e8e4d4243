import { type Genkit, genkit } from "genkit";
import type { AgentOptions, Json, LocalAgent, SessionStore } from "turnkeep";
import { defineAgent, type InlineAgentOptions, type SubAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { onTestFinished } from "vitest";
import { type Answer, defineThinker, type Thought } from "../registry/thinking-model.ts";

export function memory(): SessionStore {
  const store = new MemoryStore();
  onTestFinished(() => store.close());
  return store;
}

export interface LeadOptions {
  readonly ai: Genkit;
  readonly store?: SessionStore | undefined;
  readonly agents: readonly SubAgent[];
  readonly name?: string;
  /** The tool that its model asks for. */
  readonly tool?: string;
  readonly limits?: AgentOptions<Json>["limits"];
  readonly ports?: AgentOptions<Json>["ports"];
}

/** An agent that has all its work done by another: a request for each part of what it is told, and says what came back. */
export function lead({ ai, store, agents, name = "lead", tool, ...more }: LeadOptions): LocalAgent {
  const wanted = tool ?? "helper";
  const model = defineThinker(ai, `${name}-model`, ({ heard, isAnswered }) =>
    isAnswered
      ? `told ${heard}`
      : heard
          .split(" + ")
          .map((task, index) => ({ tool: wanted, input: { task }, ref: `${index + 1}` })),
  );
  return closing(defineAgent(ai, { name, model, agents, ...(store && { store }), ...more }));
}

type Helping = Partial<InlineAgentOptions<Json, Json, Json>> & { readonly ai: Genkit };

/** An agent whose model is the test's to write. */
export function helper(
  { ai, ...options }: Helping,
  think: (thought: Thought) => Answer | Promise<Answer>,
): LocalAgent {
  const name = options.name ?? "helper";
  const model = defineThinker(ai, `${name}-model`, think);
  return closing(defineAgent(ai, { name, model, ...options }));
}

/** Answers with everything the user ever said, in capitals. */
export function recall({ request }: Thought): string {
  return request.messages
    .filter(({ role }) => role === "user")
    .map(({ content }) => content[0]?.text)
    .join(", ")
    .toUpperCase();
}

export function closing(agent: LocalAgent): LocalAgent {
  onTestFinished(() => agent.close());
  return agent;
}

export function freshAi(): Genkit {
  return genkit({});
}

export function textOf({
  message,
}: {
  readonly message?: { readonly content: readonly { readonly text?: string }[] };
}): string {
  return (message?.content ?? []).map(({ text = "" }) => text).join("");
}
