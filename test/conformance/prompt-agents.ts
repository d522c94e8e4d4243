import type { ToolAction } from "genkit";
import type { LocalAgent, SessionStore } from "turnkeep";
import { defineAgent } from "turnkeep/genkit";
import type { AgentSetting } from "./agent-setting.ts";

interface PromptAgent {
  readonly name: string;
  readonly tools?: readonly ToolAction[];
  readonly store?: SessionStore;
}

/** The agents of the spec that answer with what a model says. */
export const PROMPT_AGENTS: Readonly<Record<string, (setting: AgentSetting) => LocalAgent>> = {
  promptAgent: (setting) => promptAgent(setting, { name: "promptAgent" }),
  promptAgentWithStore: (setting) =>
    promptAgent(setting, { name: "promptAgentWithStore", store: setting.store }),
  promptAgentWithTools: (setting) =>
    promptAgent(setting, { name: "promptAgentWithTools", tools: [setting.tools.testTool] }),
  promptAgentWithInterrupt: (setting) =>
    promptAgent(setting, {
      name: "promptAgentWithInterrupt",
      tools: [setting.tools.interruptTool],
      store: setting.store,
    }),
  promptAgentWithRestartTool: (setting) =>
    promptAgent(setting, {
      name: "promptAgentWithRestartTool",
      tools: [setting.tools.restartTool],
      store: setting.store,
    }),
};

function promptAgent({ ai, model }: AgentSetting, agent: PromptAgent): LocalAgent {
  const { tools, ...rest } = agent;
  return defineAgent(ai, {
    ...rest,
    model,
    config: { temperature: 1 },
    ...(tools && { tools: [...tools] }),
  });
}
