import { z } from "genkit";
import type { AgentLimits, LocalAgent, SessionStore } from "turnkeep";
import { defineAgent } from "turnkeep/genkit";
import { type ScriptedModel, scriptedGenkit } from "../scripted-model.ts";

export type Guide = { city: string };

/** An agent of a Genkit of its own whose prompt has an input: the city it knows. */
export function guide({
  store,
  limits,
  input,
}: {
  readonly store?: SessionStore;
  readonly limits?: Partial<AgentLimits>;
  readonly input?: Guide;
}): { readonly agent: LocalAgent; readonly model: ScriptedModel } {
  const { ai, model } = scriptedGenkit();
  const agent = defineAgent(ai, {
    name: "guide",
    ...(store && { store }),
    ...(limits && { limits }),
    input: { schema: z.object({ city: z.string() }), ...(input && { default: input }) },
    system: "You know {{city}}.",
  });
  return { agent, model };
}
