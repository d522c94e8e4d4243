import type { Agent, AnyLocalAgent, LocalAgent } from "../agent/index.ts";
import { remoteAgent } from "../client/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { openDemo } from "./demo-place.ts";
import { loadAgents } from "./load-agents.ts";
import { misuse } from "./read-arguments.ts";

/** The options by which a command is told where its agents are. */
export const AGENT_OPTIONS = {
  module: { type: "string", short: "m" },
  url: { type: "string", short: "u" },
  header: { type: "string", multiple: true },
  tenant: { type: "string" },
} as const;

export const AGENT_HELP = `  --module FILE        a file that exports agents:
                         export const agents = [support, research];
  --url URL            or a server of turnkeep, such as http://127.0.0.1:4400
  --header "NAME: V"   sent to it with each request; for signing in
  --tenant NAME        whose sessions, with --module; the agents' own unless told
                       With neither --module nor --url: the agents of the demo.`;

export interface AgentPlace {
  readonly module?: string | undefined;
  readonly url?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly tenant?: string | undefined;
}

export interface FoundAgent {
  readonly agent: Agent;
  /** Only where the agent is in this process. */
  readonly local?: LocalAgent;
  /** Lets go of what was opened. */
  readonly close: () => Promise<void>;
}

/**
 * The agent of that name; without a name, the only one there is.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when it is not told well enough which one, NOT_FOUND when there is none of that name.
 */
export async function findAgent(name: string | undefined, place: AgentPlace): Promise<FoundAgent> {
  if (place.module !== undefined && place.url !== undefined) {
    throw misuse("Use --module or --url, not both.");
  }
  return place.url === undefined
    ? await findLocal(name, place)
    : await findRemote(name, { ...place, url: place.url });
}

async function findLocal(name: string | undefined, place: AgentPlace): Promise<FoundAgent> {
  if (place.header) throw misuse("--header goes with --url.");
  const { agents, store } =
    place.module === undefined
      ? await openDemo()
      : { agents: await loadAgents(place.module), store: undefined };
  const names = agents.map((agent) => agent.name);
  const chosen = choose(name, names);
  const local = agents[names.indexOf(chosen)] as AnyLocalAgent as LocalAgent;
  return {
    agent: local,
    local,
    close: async () => {
      await Promise.all(agents.map((agent) => agent.close()));
      await store?.close();
    },
  };
}

async function findRemote(
  name: string | undefined,
  { url, header = [], tenant }: AgentPlace & { readonly url: string },
): Promise<FoundAgent> {
  if (tenant !== undefined) throw misuse("--tenant goes with --module; a server knows by itself.");
  const headers = Object.fromEntries(header.map(headerFrom));
  const base = `${url.replace(/\/+$/, "")}/agents`;
  const chosen = choose(name, await namesAt(base, headers));
  const agent = remoteAgent({ url: `${base}/${encodeURIComponent(chosen)}`, headers });
  return { agent, close: async () => {} };
}

function choose(name: string | undefined, names: readonly string[]): string {
  const list = names.join(", ");
  if (name === undefined && names.length === 1) return names[0] ?? "";
  if (name === undefined) throw misuse(`Name an agent: ${list}.`);
  if (names.includes(name)) return name;
  throw new TurnkeepError("NOT_FOUND", `There is no agent "${name}". There are: ${list}.`);
}

async function namesAt(
  base: string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const response = await ask(base, headers);
  const answer = (await response.json().catch(() => ({}))) as {
    readonly agents?: readonly { readonly name: string }[];
    readonly error?: { readonly message?: string };
    readonly message?: string;
  };
  if (Array.isArray(answer.agents)) return answer.agents.map(({ name }) => name);
  const why = answer.message ?? answer.error?.message ?? `It answers with ${response.status}.`;
  throw new TurnkeepError("FAILED_PRECONDITION", `${base} shows no agents: ${why}`);
}

async function ask(url: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  try {
    return await fetch(url, { headers });
  } catch (error) {
    throw new TurnkeepError(
      "UNAVAILABLE",
      `Nothing answers at ${url}. Is the server running, and the address right?`,
      { cause: error },
    );
  }
}

function headerFrom(text: string): readonly [string, string] {
  const [, name, value] = /^([^\s:]+):\s*(.+)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw misuse(`--header must be "name: value".`);
}
