import type { Genkit } from "genkit";
import type { AgentFunction, AgentOptions, Json, LocalAgent } from "../agent/index.ts";
import { GenkitSession } from "./genkit-session.ts";
import { registerAgent, reserveName } from "./register-agent.ts";

/** Like `defineCustomAgent` of the package itself, with the agent known to Genkit and its session to Genkit's tools. */
export function defineCustomAgent<Custom = Json, Status = Json>(
  ai: Genkit,
  options: AgentOptions<Custom>,
  work: AgentFunction<Custom, Status>,
): LocalAgent<Custom> {
  reserveName(ai, options.name);
  return registerAgent<Custom, Json, Status>(ai, options, (tools) =>
    new GenkitSession(tools.session as never).run(() => work(tools)),
  );
}
