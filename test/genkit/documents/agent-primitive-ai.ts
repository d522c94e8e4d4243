import { type Genkit, genkit as ownGenkit } from "genkit";
import type { AgentOptions, GeneratorAgentFunction, Json, LocalAgent } from "turnkeep";
import { defineGeneratorAgent, type GenkitLoopTypes } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { expect } from "vitest";
import { DocumentModel } from "./document-model.ts";

// What the examples of document 003 import, with the names that they use: Genkit itself, a model that answers as it is told, and a store.

type DefineAgent = <Custom = Json>(
  options: AgentOptions<Custom>,
  work: GeneratorAgentFunction<Custom, GenkitLoopTypes>,
) => LocalAgent<Custom>;

type Plugin = (ai: Genkit) => void;

/** Genkit with the document's `defineAgent`, which is `defineGeneratorAgent` here. */
export function genkit({ plugins }: { readonly plugins: readonly Plugin[] }): Genkit & {
  readonly defineAgent: DefineAgent;
} {
  const ai = ownGenkit({ promptDir: null });
  for (const plugin of plugins) plugin(ai);
  const defineAgent: DefineAgent = (options, work) => defineGeneratorAgent(ai, options, work);
  return Object.assign(ai, { defineAgent });
}

/** The model of the instance that was made last. */
export let model: DocumentModel;

const MODEL = "googleai/gemini-2.5-flash";

export const googleAI: (() => Plugin) & { readonly model: (name: string) => string } =
  Object.assign(
    (): Plugin => (ai) => {
      model = new DocumentModel(ai as never, MODEL);
    },
    { model: (name: string): string => `googleai/${name}` },
  );

export function postgresSessionStore(options: { readonly connectionString: string }): MemoryStore {
  expect(options.connectionString).toBe("...");
  return new MemoryStore();
}
