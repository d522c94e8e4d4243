import { genkit } from "genkit";
import type { LocalAgent } from "turnkeep";
import { ProgrammableModel } from "./programmable-model.ts";
import { defineSpecAgent } from "./spec-agents.ts";
import { SPEC_STORES, type StoreName } from "./spec-stores.ts";
import { defineSpecTools } from "./spec-tools.ts";

/** What one case is played on. Nothing on it was there before, and nothing is left of it. */
export interface Stage {
  readonly agent: LocalAgent;
  readonly model: ProgrammableModel;
  readonly close: () => Promise<void>;
}

export async function openStage(agentName: string, storeName: StoreName): Promise<Stage> {
  const ai = genkit({});
  const model = new ProgrammableModel(ai);
  const tools = defineSpecTools(ai);
  const { store, remove } = await SPEC_STORES[storeName]();
  const agent = defineSpecAgent(agentName, { ai, model: model.name, tools, store });
  const close = async (): Promise<void> => {
    await agent.close();
    await remove();
  };
  return { agent, model, close };
}
