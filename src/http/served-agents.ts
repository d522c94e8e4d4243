import type { AgentSource, AnyLocalAgent, LocalAgent } from "../agent/index.ts";
import { TurnkeepError } from "../protocol/index.ts";

/** Any agent, whatever its state and output are. */
export type AnyAgent = AnyLocalAgent;

/** What can be served: a list of agents, or a registry, which is asked at each request. */
export type ServableAgents = readonly AnyAgent[] | AgentSource;

/** An agent as it is served: whatever its state is. */
export type ServedAgent = LocalAgent<never>;

/** The agents of a server, as they are at each call. */
export interface ServedAgents {
  readonly get: (name: string) => ServedAgent | undefined;
  readonly list: () => readonly ServedAgent[];
}

/**
 * The agents of a list or a registry, by name.
 *
 * @throws TurnkeepError INVALID_ARGUMENT for anything else, and when two agents of a list have the same name.
 */
export function toServedAgents(agents: ServableAgents): ServedAgents {
  // Every agent of this process is a `LocalAgent`; the types only forget its state.
  return (Array.isArray(agents) ? new ListedAgents(agents) : checkedSource(agents)) as ServedAgents;
}

class ListedAgents implements AgentSource {
  readonly #agents = new Map<string, AnyAgent>();

  constructor(agents: readonly AnyAgent[]) {
    for (const [index, agent] of agents.entries()) this.#add(agent, index);
  }

  readonly get = (name: string): AnyAgent | undefined => this.#agents.get(name);

  readonly list = (): readonly AnyAgent[] => [...this.#agents.values()];

  #add(agent: AnyAgent | undefined, index: number): void {
    if (typeof agent?.name !== "string") {
      throw new TurnkeepError("INVALID_ARGUMENT", `agents[${index}] is no agent.`);
    }
    if (this.#agents.has(agent.name)) {
      throw new TurnkeepError("INVALID_ARGUMENT", `Two agents are named '${agent.name}'.`);
    }
    this.#agents.set(agent.name, agent);
  }
}

function checkedSource(agents: unknown): AgentSource {
  const { get, list } = (agents ?? {}) as Partial<AgentSource>;
  if (typeof get === "function" && typeof list === "function") return agents as AgentSource;
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    "Pass the agents as a list, such as [support], or as an AgentRegistry.",
  );
}
