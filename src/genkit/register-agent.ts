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
  for (const action of companionActions(agent as unknown as LocalAgent<never>)) {
    ai.registry.registerAction(action.__action.actionType as never, action as never);
  }
  return agent;
}

/**
 * Comes before anything is registered: Genkit itself lets a second agent take the place of the first.
 *
 * @throws TurnkeepError INVALID_ARGUMENT for a name that Genkit would take for a plugin's, ALREADY_EXISTS for one that is taken.
 */
export function reserveName({ registry }: Genkit, name: string): void {
  if (typeof name === "string" && name.includes("/")) {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      `'${name}' cannot be an agent's name: it has a '/'.`,
    );
  }
  const names = taken.get(registry) ?? new Set();
  if (names.has(name)) {
    throw new TurnkeepError("ALREADY_EXISTS", `There is an agent named '${name}' already.`);
  }
  taken.set(registry, names.add(name));
}
