import {
  type AgentOptions,
  type AgentStreamChunk,
  type AgentTools,
  type CallOptions,
  defineCustomAgent,
  type Json,
  type LocalAgent,
  type TurnContext,
  type TurnResult,
  TurnkeepError,
} from "turnkeep";
import { expect } from "vitest";

/** What a turn of the agents below does. */
export type Act<Custom> = (
  tools: AgentTools<Custom>,
  turn: TurnContext,
  text: string,
) => Promise<TurnResult | void> | TurnResult | void;

/** An agent whose every turn does this, and whose answer is `session.result()`. */
export function agentOf<Custom = Json>(
  options: Partial<AgentOptions<Custom>>,
  act: Act<Custom>,
): LocalAgent<Custom> {
  return defineCustomAgent<Custom>({ name: "actor", ...options }, async (tools) => {
    await tools.session.run(async (input, turn) => {
      const text = (input.message?.content ?? []).map((part) => part.text ?? "").join("");
      return await act(tools, turn, text);
    });
    return tools.session.result();
  });
}

/** Everything that one turn streams, without the ends of turns. */
export async function chunksOf<Custom>(
  agent: LocalAgent<Custom>,
  text: string,
  options?: CallOptions<Custom>,
): Promise<readonly AgentStreamChunk[]> {
  const { chunks, output } = agent.streamText(text, options);
  const seen: AgentStreamChunk[] = [];
  for await (const chunk of chunks) if (!chunk.turnEnd) seen.push(chunk);
  await output;
  return seen;
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The TurnkeepError that the work ends in, thrown at once or later. */
export async function errorOf(work: () => unknown): Promise<TurnkeepError> {
  const error = await attempt(work);
  expect(TurnkeepError.is(error), `no TurnkeepError: ${String(error)}`).toBe(true);
  return error as TurnkeepError;
}

async function attempt(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return expect.unreachable("it should have failed");
}

export function model(text: string): {
  readonly role: "model";
  readonly content: readonly { readonly text: string }[];
} {
  return { role: "model", content: [{ text }] };
}
