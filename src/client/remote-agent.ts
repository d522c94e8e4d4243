import type { Json, StateManagement } from "../protocol/index.ts";
import type { AgentDescription } from "./agent-types.ts";
import { type ClientPorts, systemPorts } from "./client-ports.ts";
import { NativeAgent } from "./native-agent.ts";
import type { Reconnect } from "./patience.ts";
import { type ClientHeaders, Transport } from "./transport.ts";

/** Where an agent is, and how to talk to it. */
export interface RemoteAgentOptions {
  /** Where the agent is, such as `https://host/agents/support`. Nothing is ever sent elsewhere. */
  readonly url: string;
  /** Sent with every request; a function is asked each time, so that a token may be a fresh one. */
  readonly headers?: ClientHeaders | (() => ClientHeaders | Promise<ClientHeaders>);
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Which protocol the server speaks, such as `genkitProtocol`: that of Turnkeep's servers unless told. */
  readonly protocol?: Protocol;
  /** Who keeps the state: the server, unless told or found out by `load`. */
  readonly stateManagement?: StateManagement;
  /** How often something is tried again without anything new in between: 5 times unless told. */
  readonly attempts?: number;
  /** Is told when a connection was lost and another try follows. */
  readonly onReconnect?: (reconnect: Reconnect) => void;
  /** Time, chance, ids and timers; for tests. */
  readonly ports?: ClientPorts;
}

/** An agent behind HTTP, with the interface of one in this process. */
export type RemoteAgent<Custom = Json, Output = Json, Status = Json> = NativeAgent<
  Custom,
  Output,
  Status
>;

/** How a kind of server is talked to. Handed in, so that nobody loads one that is not used. */
export type Protocol = <Custom, Output, Status>(
  transport: Transport,
  described: AgentDescription,
) => RemoteAgent<Custom, Output, Status>;

const nativeProtocol: Protocol = (transport, described) => new NativeAgent(transport, described);

/** Talks to an agent behind HTTP, as one would to an agent of this process. */
export function remoteAgent<Custom = Json, Output = Json, Status = Json>(
  options: RemoteAgentOptions,
): RemoteAgent<Custom, Output, Status> {
  const { ports = systemPorts, attempts = 5, stateManagement = "server" } = options;
  const transport = new Transport({ ...options, ports, attempts });
  const described: AgentDescription = {
    name: nameOf(transport.options.url),
    metadata: { stateManagement, abortable: stateManagement === "server" },
  };
  const { protocol = nativeProtocol } = options;
  return protocol<Custom, Output, Status>(transport, described);
}

function nameOf(url: string): string {
  const last = /([^/?#]*)(?:[?#].*)?$/.exec(url)?.[1] ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
