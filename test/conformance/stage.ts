import { genkit } from "genkit";
import type { LocalAgent } from "turnkeep";
import type { Place } from "../support/places/place.ts";
import { ProgrammableModel } from "./programmable-model.ts";
import { defineSpecAgent } from "./spec-agents.ts";
import { defineSpecTools } from "./spec-tools.ts";

/** What one case is played on. Nothing on it was there before, and nothing is left of it. */
export interface Stage {
  readonly agent: LocalAgent;
  readonly model: ProgrammableModel;
  readonly close: () => Promise<void>;
}

/** Makes an empty place for the data of one case. */
export type CreatePlace = () => Promise<Place>;

export async function openStage(agentName: string, createPlace: CreatePlace): Promise<Stage> {
  const ai = genkit({});
  const model = new ProgrammableModel(ai);
  const tools = defineSpecTools(ai);
  const place = await createPlace();
  const store = await place.open();
  const agent = defineSpecAgent(agentName, { ai, model: model.name, tools, store });
  const close = async (): Promise<void> => {
    await agent.close();
    await store.close();
    await place.remove();
  };
  return { agent, model, close };
}
