import type { Genkit } from "genkit";
import type { SessionStore } from "turnkeep";
import type { SpecTools } from "./spec-tools.ts";

/** What the spec's agents are made with. */
export interface AgentSetting {
  readonly ai: Genkit;
  /** The name of the model. */
  readonly model: string;
  readonly tools: SpecTools;
  /** For the agents that keep their sessions. */
  readonly store: SessionStore;
}
