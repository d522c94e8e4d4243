import type { LocalAgent } from "turnkeep";
import {
  type ClientPorts,
  type RemoteAgent,
  remoteAgent,
  type RemoteAgentOptions,
} from "turnkeep/client";
import type { ServeOptions } from "turnkeep/node";
import { byToken, served } from "../http/serving.ts";

/** Waits that only keep a crowd apart are short here; those for a silent server are as long as ever. */
export const HASTY: ClientPorts = {
  now: () => Date.now(),
  random: () => Math.random(),
  newId: () => crypto.randomUUID(),
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds > 20_000 ? milliseconds : milliseconds / 100);
    return () => clearTimeout(timer);
  },
};

const OPERATOR = { authorization: "Bearer local/op/operator" };

/** The same agent behind HTTP, until the test has ended. Its caller is an operator of the tenant "local". */
export async function behindHttp<Custom, Output>(
  agent: LocalAgent<Custom, Output>,
  {
    serving = {},
    ...options
  }: Partial<RemoteAgentOptions> & { readonly serving?: Partial<ServeOptions> } = {},
): Promise<RemoteAgent<Custom, Output>> {
  const { url } = await served([agent], {
    auth: byToken,
    sessionsOf: "tenant",
    ...serving,
  });
  return remoteAgent<Custom, Output>({
    url: `${url}/agents/${agent.name}`,
    headers: OPERATOR,
    ports: HASTY,
    ...options,
  });
}
