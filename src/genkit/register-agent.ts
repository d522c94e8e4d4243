import { type Genkit, getCurrentEnv } from "genkit";
import {
  type AgentSource,
  type AnyLocalAgent,
  checkOptionNames,
  type Json,
  type LocalAgent,
} from "../agent/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { agentActions } from "./companion-actions.ts";
import { type GenkitAgent, toGenkitAgent } from "./genkit-agent.ts";

/** How an agent becomes known to Genkit. */
export interface RegisterOptions {
  /**
   * Takes the place of the agent that has the name, which is closed: for modules that are loaded again while a program runs. On by default in
   * development (`GENKIT_ENV=dev` or `NODE_ENV=development`); elsewhere a name that is taken is refused.
   */
  readonly replace?: boolean;
}

/**
 * Makes an agent known to Genkit that was defined without it, or with another Genkit: its developer tools, servers and other agents find it then.
 * Returns the agent as one of Genkit's actions.
 *
 * @example
 * const counter = registerAgent(ai, defineCustomAgent({ name: "counter", store }, count));
 * app.post("/counter", expressHandler(counter));
 *
 * @throws TurnkeepError ALREADY_EXISTS when the name is taken, INVALID_ARGUMENT when Genkit cannot have an agent of that name.
 */
export function registerAgent<Custom = Json, Output = Json, Input = Json, Status = Json>(
  ai: Genkit,
  agent: LocalAgent<Custom, Output, Input, Status>,
  options: RegisterOptions = {},
): GenkitAgent<Custom, Output, Input, Status> {
  const { name } = agent;
  const known = agentsByName(ai).get(name)?.agent as unknown;
  if (known !== undefined && known === agent)
    return known as GenkitAgent<Custom, Output, Input, Status>;
  checkDefinition(ai, { ...options, name });
  return addAgent(ai, agent);
}

/** The agents that a Genkit knows, as they are at each call: what `createHandler` and `createReflection` can serve. */
export interface GenkitAgents extends AgentSource, Iterable<GenkitAgent> {
  readonly get: (name: string) => GenkitAgent | undefined;
  readonly list: () => readonly GenkitAgent[];
}

/**
 * All agents that were defined on this Genkit or registered with it, those of later too.
 *
 * @example
 * const handler = createHandler(agentsOf(ai), { auth });
 */
export function agentsOf(ai: Genkit): GenkitAgents {
  const agents = agentsByName(ai);
  const list = (): readonly GenkitAgent[] => [...agents.values()].map(({ agent }) => agent);
  return {
    get: (name) => agents.get(name)?.agent,
    list,
    [Symbol.iterator]: () => list().values(),
  };
}

/** What an agent brings along besides itself. */
export interface RegisteredParts {
  readonly ready?: () => Promise<void>;
  /** Keys of Genkit's registry that go with the agent when it is closed. */
  readonly keys?: readonly string[];
}

/** Registers an agent whose name was checked. */
export function addAgent<Custom, Output, Input, Status>(
  ai: Genkit,
  agent: LocalAgent<Custom, Output, Input, Status>,
  { ready = async () => {}, keys = [] }: RegisteredParts = {},
): GenkitAgent<Custom, Output, Input, Status> {
  const { name } = agent;
  removeAgent(ai, name);
  const actions = agentActions(ai, agent as unknown as LocalAgent<never>);
  const registered = toGenkitAgent(agent, {
    actions,
    ready,
    closed: () => {
      if (agentsByName(ai).get(name)?.agent === (registered as unknown)) forgetAgent(ai, name);
    },
  });
  const all = Object.values(actions) as readonly (typeof actions.agent)[];
  for (const action of all) {
    ai.registry.registerAction(action.__action.actionType as never, action as never);
  }
  agentsByName(ai).set(name, {
    agent: registered as unknown as GenkitAgent,
    keys: [...keys, ...all.map(({ __action: { key } }) => key)],
  });
  return registered;
}

/**
 * Comes before anything is registered: Genkit itself lets a second agent take the place of the first.
 *
 * @param more names of options that are not those of every agent.
 * @throws TurnkeepError INVALID_ARGUMENT for what is no Genkit, no name, a name that Genkit would take for a plugin's, or an unknown option;
 * ALREADY_EXISTS for a name that is taken.
 */
export function checkDefinition(
  ai: Genkit,
  options: RegisterOptions & { readonly name: string },
  more: readonly string[] = [],
): void {
  if (typeof (ai as Partial<Genkit> | undefined)?.registry?.registerAction !== "function") {
    throw new TurnkeepError("INVALID_ARGUMENT", "An agent is defined on what 'genkit()' returns.");
  }
  const { name, replace = isDevelopment() } = (options ?? {}) as Partial<typeof options>;
  if (typeof name !== "string" || name.trim() === "") {
    throw new TurnkeepError("INVALID_ARGUMENT", "An agent needs a name that is not blank.");
  }
  if (name.includes("/")) {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      `'${name}' cannot be an agent's name: it has a '/'.`,
    );
  }
  checkOptionNames(options, ["replace", ...more]);
  if (agentsByName(ai).has(name) && !replace) {
    throw new TurnkeepError(
      "ALREADY_EXISTS",
      `There is an agent named '${name}' already. Close it first, or pass replace: true.`,
    );
  }
}

/** Takes the agent of this name out of Genkit's registry and closes it: another is about to take its place. */
export function removeAgent(ai: Genkit, name: string): void {
  const former = agentsByName(ai).get(name)?.agent as AnyLocalAgent | undefined;
  forgetAgent(ai, name);
  // Turns that it works on go on in its successor.
  former?.close().catch(() => {});
}

interface RegisteredAgent {
  readonly agent: GenkitAgent;
  readonly keys: readonly string[];
}

const registries = new WeakMap<Genkit["registry"], Map<string, RegisteredAgent>>();

function agentsByName({ registry }: Genkit): Map<string, RegisteredAgent> {
  const agents = registries.get(registry) ?? new Map<string, RegisteredAgent>();
  registries.set(registry, agents);
  return agents;
}

function forgetAgent(ai: Genkit, name: string): void {
  const agents = agentsByName(ai);
  // Genkit's registry has no way to take something out; what stays there would only be reported as overwritten.
  const { actionsById = {} } = ai.registry as unknown as {
    readonly actionsById?: Record<string, unknown>;
  };
  for (const key of agents.get(name)?.keys ?? []) delete actionsById[key];
  agents.delete(name);
}

function isDevelopment(): boolean {
  return getCurrentEnv() === "dev" || globalThis.process?.env["NODE_ENV"] === "development";
}
