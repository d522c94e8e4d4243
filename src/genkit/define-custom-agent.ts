import type { Genkit } from "genkit";
import {
  type AgentFunction,
  type AgentOptions,
  defineCustomAgent as defineOwnAgent,
  type Json,
} from "../agent/index.ts";
import type { GenkitAgent } from "./genkit-agent.ts";
import { GenkitSession } from "./genkit-session.ts";
import { addAgent, checkDefinition, type RegisterOptions } from "./register-agent.ts";

/** Like `defineCustomAgent` of the package itself, with the agent known to Genkit and its session to Genkit's tools. */
export function defineCustomAgent<Custom = Json, Status = Json, StateInput = unknown>(
  ai: Genkit,
  options: AgentOptions<Custom, StateInput> & RegisterOptions,
  work: AgentFunction<Custom, Status>,
): GenkitAgent<Custom> {
  checkDefinition(ai, options);
  const { replace: _, ...own } = options;
  const agent = defineOwnAgent<Custom, Status, StateInput>(own, (tools) =>
    new GenkitSession(tools.session as never).run(() => work(tools)),
  );
  return addAgent(ai, agent);
}
