import { TurnkeepError } from "../protocol/index.ts";
import type { AnyLocalAgent, LocalAgent } from "./local-agent.ts";

/** Finds agents by name. Servers ask it at each request, so agents that are added later are served, too. */
export interface AgentSource {
  /** The agent of this name; `undefined` when there is none. */
  readonly get: (name: string) => AnyLocalAgent | undefined;
  readonly list: () => readonly AnyLocalAgent[];
}

/**
 * Agents by name, to be handed to `serve`, `createHandler`, `createReflection` and `studio` instead of a list. Agents that are registered later are
 * served, too. One agent can be in several registries, or in none.
 */
export class AgentRegistry implements AgentSource, Iterable<LocalAgent<never>> {
  readonly #agents = new Map<string, LocalAgent<never>>();

  /** Registers an agent; a second time is harmless. @throws TurnkeepError ALREADY_EXISTS when another agent has the name. */
  register<Custom, Output, Input, Status>(agent: LocalAgent<Custom, Output, Input, Status>): void {
    const known: unknown = this.#agents.get(agent.name);
    if (known !== undefined && known !== agent) {
      throw new TurnkeepError("ALREADY_EXISTS", `There is an agent named '${agent.name}' already.`);
    }
    this.#agents.set(agent.name, agent as unknown as LocalAgent<never>);
  }

  /** The agent of this name; `undefined` when none is registered. */
  get(name: string): LocalAgent<never> | undefined {
    return this.#agents.get(name);
  }

  /** All registered agents, in the order of their registration. */
  list(): readonly LocalAgent<never>[] {
    return [...this.#agents.values()];
  }

  [Symbol.iterator](): Iterator<LocalAgent<never>> {
    return this.list()[Symbol.iterator]();
  }
}
