import { TurnkeepError } from "../protocol/index.ts";
import type { Agent } from "./agent.ts";

/** Agents by name: what a server serves. Agents know nothing of it, so one can be in several, or in none. */
export class AgentRegistry {
  readonly #agents = new Map<string, Agent<never>>();

  /** @throws TurnkeepError ALREADY_EXISTS when another agent has the name. */
  register<Custom>(agent: Agent<Custom>): void {
    const known = this.#agents.get(agent.name);
    if (known !== undefined && known !== (agent as unknown)) {
      throw new TurnkeepError("ALREADY_EXISTS", `There is an agent named '${agent.name}' already.`);
    }
    this.#agents.set(agent.name, agent as unknown as Agent<never>);
  }

  /** @throws TurnkeepError NOT_FOUND when no agent has the name. */
  get(name: string): Agent<never> {
    const agent = this.#agents.get(name);
    if (agent) return agent;
    throw new TurnkeepError("NOT_FOUND", `There is no agent named '${name}'.`);
  }

  list(): readonly Agent<never>[] {
    return [...this.#agents.values()];
  }
}
