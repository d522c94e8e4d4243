import type { Exchange, ServedAgent } from "../exchange.ts";
import { jsonResponse } from "../json-response.ts";

/** The agents that can be talked to here. */
export async function listAgents({ services }: Exchange): Promise<Response> {
  return jsonResponse({ agents: [...services.agents.values()].map(describe) });
}

export async function readAgent({ agent }: Exchange): Promise<Response> {
  return jsonResponse(describe(agent));
}

function describe({ name, description, metadata }: ServedAgent): object {
  return { name, ...(description !== undefined && { description }), metadata };
}
