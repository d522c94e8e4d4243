import type { Genkit } from "genkit";
import type { AgentFunction, AgentOptions, Json, LocalAgent } from "../agent/index.ts";
import { GenkitSession } from "./genkit-session.ts";
import { checkDefinition, registerAgent } from "./register-agent.ts";

/** Like `defineCustomAgent` of the package itself, with the agent known to Genkit and its session to Genkit's tools. */
export function defineCustomAgent<Custom = Json, Status = Json, StateInput = unknown>(
  ai: Genkit,
  options: AgentOptions<Custom, StateInput>,
  work: AgentFunction<Custom, Status>,
): LocalAgent<Custom> {
  checkDefinition(ai, options);
  return registerAgent<Custom, Json, Status>(ai, options, (tools) =>
    new GenkitSession(tools.session as never).run(() => work(tools)),
  );
}
