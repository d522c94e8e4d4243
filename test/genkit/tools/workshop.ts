import { type Genkit, type ToolAction, ToolInterruptError, z } from "genkit";
import type { AgentOptions, Json, LocalAgent, Part } from "turnkeep";
import { defineAgent } from "turnkeep/genkit";
import { type ScriptedModel, scriptedGenkit } from "../scripted-model.ts";

export type ToolWork = (input: unknown, options: ToolOptions) => unknown;

export interface ToolOptions {
  readonly resumed?: unknown;
  readonly metadata?: unknown;
  /** Genkit's own is for its beta only. */
  readonly interrupt: (metadata?: Record<string, unknown>) => never;
}

export interface Workshop {
  readonly ai: Genkit;
  readonly model: ScriptedModel;
  readonly agent: LocalAgent;
}

export interface WorkshopOptions extends Partial<
  Omit<AgentOptions<Json>, "checkInput" | "readOutput">
> {
  readonly tools: Readonly<Record<string, ToolWork>>;
  /** Those whose authors say that they may run twice. */
  readonly idempotent?: readonly string[];
  readonly maxTurns?: number;
}

/** An agent of a Genkit of its own with these tools, each of which takes any input. */
export function workshop({ tools, idempotent = [], ...options }: WorkshopOptions): Workshop {
  const { ai, model } = scriptedGenkit();
  const defined = Object.entries(tools).map(([name, work]) =>
    defineTool(ai, { name, idempotent: idempotent.includes(name) }, work),
  );
  const agent = defineAgent(ai, { name: "worker", system: "Work.", tools: defined, ...options });
  return { ai, model, agent };
}

export function defineTool(
  ai: Genkit,
  { name, idempotent = false }: { readonly name: string; readonly idempotent?: boolean },
  work: ToolWork,
): ToolAction {
  return ai.defineTool(
    { name, description: name, inputSchema: z.any(), metadata: { idempotent } },
    async (input, options) => await work(input, { ...options, interrupt }),
  );
}

function interrupt(metadata?: Record<string, unknown>): never {
  throw new ToolInterruptError(metadata);
}

/** The tool's responses in a message, as [name, ref, output]. */
export function responsesIn(
  message: { readonly content: readonly object[] } | undefined,
): readonly (readonly unknown[])[] {
  const parts = (message?.content ?? []) as readonly Part[];
  return parts.flatMap(({ toolResponse }) =>
    toolResponse ? [[toolResponse.name, toolResponse.ref, toolResponse.output]] : [],
  );
}
