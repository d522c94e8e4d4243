import type { Json } from "../protocol/index.ts";
import { AgentDefinition } from "./agent-definition.ts";
import type { AgentFunction } from "./agent-function.ts";
import type { AgentOptions } from "./agent-options.ts";
import { LocalAgent } from "./local-agent.ts";
import { isLookingOnly } from "./looking-only.ts";
import type { NeedsInitialState, UnlessTyped } from "./state-reader.ts";

/**
 * Defines an agent whose loop is yours: the function runs once for each run, and `session.run` hands it the inputs turn by turn. With a store, what
 * a process that died left unfinished is taken over from here on, unless there are workers to do it.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when the options do not fit together.
 */
export function defineCustomAgent<Custom = Json, Status = Json, StateInput = unknown>(
  options: AgentOptions<Custom, StateInput, Status> & NeedsInitialState<Custom, StateInput>,
  work: AgentFunction<Custom, Status, UnlessTyped<StateInput>>,
): LocalAgent<Custom, Json, Json, Status> {
  return startAgent(buildCustomAgent<Custom, Status, StateInput>(options, work), options);
}

/** The agent, with its worker started where it has one of its own. */
export function startAgent<Custom, StateInput, Status>(
  agent: LocalAgent<Custom, Json, Json, Status>,
  { store, dispatcher }: AgentOptions<Custom, StateInput, Status>,
): LocalAgent<Custom, Json, Json, Status> {
  if (store && !dispatcher && !isLookingOnly()) agent.startWorker();
  return agent;
}

/** Like `defineCustomAgent`, but does nothing by itself until it is talked to or its worker is started: for libraries. */
export function buildCustomAgent<Custom = Json, Status = Json, StateInput = unknown>(
  options: AgentOptions<Custom, StateInput, Status> & NeedsInitialState<Custom, StateInput>,
  work: AgentFunction<Custom, Status, UnlessTyped<StateInput>>,
): LocalAgent<Custom, Json, Json, Status> {
  return new LocalAgent<Custom, Json, Json, Status>(
    new AgentDefinition<Custom>(
      options as unknown as AgentOptions<Custom>,
      work as AgentFunction<Custom, never>,
    ),
  );
}
