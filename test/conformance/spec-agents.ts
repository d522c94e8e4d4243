import type { LocalAgent } from "turnkeep";
import type { AgentSetting } from "./agent-setting.ts";
import { CUSTOM_AGENTS } from "./custom-agents.ts";
import { PROMPT_AGENTS } from "./prompt-agents.ts";

const SPEC_AGENTS: Readonly<Record<string, (setting: AgentSetting) => LocalAgent>> = {
  ...PROMPT_AGENTS,
  ...CUSTOM_AGENTS,
};

export function isSpecAgent(name: string): boolean {
  return Object.hasOwn(SPEC_AGENTS, name);
}

/** Defines the agent that the spec calls by this name. */
export function defineSpecAgent(name: string, setting: AgentSetting): LocalAgent {
  const define = isSpecAgent(name) ? SPEC_AGENTS[name] : undefined;
  if (define === undefined) throw new Error(`Unknown agent: ${JSON.stringify(name)}`);
  return define(setting);
}
