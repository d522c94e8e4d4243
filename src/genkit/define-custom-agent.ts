import type { Genkit } from "genkit";
import {
  type AgentFunction,
  type AgentOptions,
  type AgentTools,
  defineCustomAgent as defineOwnAgent,
  type Json,
  type NeedsInitialState,
  type UnlessTyped,
} from "../agent/index.ts";
import { turnScope } from "./current-tool-call.ts";
import type { GenkitAgent } from "./genkit-agent.ts";
import { GenkitSession } from "./genkit-session.ts";
import { addAgent, checkDefinition, type RegisterOptions } from "./register-agent.ts";

/** Like `defineCustomAgent` of the package itself, with the agent known to Genkit and its session to Genkit's tools. */
export function defineCustomAgent<Custom = Json, Status = Json, StateInput = unknown>(
  ai: Genkit,
  options: AgentOptions<Custom, StateInput, Status> &
    NeedsInitialState<Custom, StateInput> &
    RegisterOptions,
  work: AgentFunction<Custom, Status, UnlessTyped<StateInput>>,
): GenkitAgent<Custom, Json, Json, Status> {
  checkDefinition(ai, options);
  const { replace: _, ...own } = options as unknown as AgentOptions<Custom, unknown, Status> &
    RegisterOptions;
  const agent = defineOwnAgent<Custom, Status>(own, (tools) => {
    showTurns(tools as unknown as AgentTools<never, never>);
    return new GenkitSession(tools.session as never).run(() => work(tools as never));
  });
  return addAgent(ai, agent);
}

// So that `toolCall` finds the turn in the tools that the handler's `ai.generate` runs.
function showTurns({ session, respond, context, tenant }: AgentTools<never, never>): void {
  const run = session.run.bind(session);
  const showing: typeof run = (handler) =>
    run((input, turn) =>
      turnScope({ session, turn, respond, context, tenant })(() => handler(input, turn)),
    );
  Object.defineProperty(session, "run", { value: showing });
}
