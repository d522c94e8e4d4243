import { openAICompatible } from "@genkit-ai/compat-oai";
import { type Genkit, genkit, z } from "genkit";
import type { AgentStreamChunk, LocalAgent, SessionStore } from "turnkeep";
import { defineAgent, type InlineAgentOptions } from "turnkeep/genkit";
import { onTestFinished } from "vitest";
import type { ChatServer } from "./openai-server.ts";

type Options = Partial<InlineAgentOptions<never, never, never>>;

export interface RemoteAgent {
  readonly ai: Genkit;
  readonly agent: LocalAgent;
  /** The cities that the tool was asked for. */
  readonly cities: readonly string[];
}

/** An agent whose model is behind the provider plugin, with one tool. */
export function remoteAgent(
  { url }: Pick<ChatServer, "url">,
  store: SessionStore | undefined,
  options: Options = {},
): RemoteAgent {
  const plugin = openAICompatible({ name: "near", apiKey: "key", baseURL: url, maxRetries: 0 });
  const ai = genkit({ plugins: [plugin] });
  const cities: string[] = [];
  const weather = ai.defineTool(
    {
      name: "weather",
      description: "The weather in a city.",
      inputSchema: z.object({ city: z.string() }),
    },
    async ({ city }) => {
      cities.push(city);
      return { sky: `clear over ${city}` };
    },
  );
  const agent = defineAgent(ai, {
    name: "remote",
    model: "near/tiny",
    system: "Be brief.",
    tools: [weather],
    ...(store && { store }),
    ...(options as object),
  });
  onTestFinished(() => agent.close());
  return { ai, agent, cities };
}

/** The text of the chunks, piece by piece. */
export function piecesOf(chunks: readonly AgentStreamChunk[]): readonly string[] {
  return chunks.flatMap(({ modelChunk }) =>
    (modelChunk?.content ?? []).flatMap(({ text }) => (text ? [text] : [])),
  );
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
