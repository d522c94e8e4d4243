import type { Genkit } from "genkit";
import {
  type AgentFunction,
  type AgentOptions,
  defineCustomAgent,
  type Json,
  type LocalAgent,
} from "../agent/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { companionActions } from "./companion-actions.ts";

const taken = new WeakMap<Genkit["registry"], Set<string>>();

/**
 * Defines the agent and makes it known to Genkit, so that its developer tools, servers and other agents find it.
 */
export function registerAgent<Custom, Output = Json, Status = Json>(
  ai: Genkit,
  options: AgentOptions<Custom>,
  work: AgentFunction<Custom, Status>,
): LocalAgent<Custom, Output> {
  const agent = defineCustomAgent<Custom, Status>(options, work) as LocalAgent<Custom, Output>;
  return registerDefined(ai, agent);
}

/** Makes a defined agent known to Genkit. */
export function registerDefined<Custom, Output>(
  ai: Genkit,
  agent: LocalAgent<Custom, Output>,
): LocalAgent<Custom, Output> {
  takenNames(ai).add(agent.name);
  for (const action of companionActions(ai, agent as unknown as LocalAgent<never>)) {
    ai.registry.registerAction(action.__action.actionType as never, action as never);
  }
  return agent;
}

/**
 * Comes before anything is registered: Genkit itself lets a second agent take the place of the first.
 *
 * @throws TurnkeepError INVALID_ARGUMENT for what is no Genkit, no name, or a name that Genkit would take for a plugin's; ALREADY_EXISTS for one that
 * is taken.
 */
export function checkDefinition(ai: Genkit, options: { readonly name: string }): void {
  if (typeof (ai as Partial<Genkit> | undefined)?.registry?.registerAction !== "function") {
    throw new TurnkeepError("INVALID_ARGUMENT", "An agent is defined on what 'genkit()' returns.");
  }
  const name = (options as { readonly name?: unknown } | undefined)?.name;
  if (typeof name !== "string" || name.trim() === "") {
    throw new TurnkeepError("INVALID_ARGUMENT", "An agent needs a name that is not blank.");
  }
  if (name.includes("/")) {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      `'${name}' cannot be an agent's name: it has a '/'.`,
    );
  }
  if (takenNames(ai).has(name)) {
    throw new TurnkeepError("ALREADY_EXISTS", `There is an agent named '${name}' already.`);
  }
}

function takenNames({ registry }: Genkit): Set<string> {
  const names = taken.get(registry) ?? new Set();
  taken.set(registry, names);
  return names;
}
