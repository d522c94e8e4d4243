import type { Exchange } from "../exchange.ts";
import { jsonResponse } from "../json-response.ts";
import type { ServedAgent } from "../served-agents.ts";

/** The agents that can be talked to here. */
export async function listAgents({ services }: Exchange): Promise<Response> {
  return jsonResponse({ agents: services.agents.list().map(describe) });
}

export async function readAgent({ agent }: Exchange): Promise<Response> {
  return jsonResponse(describe(agent));
}

function describe({ name, description, metadata }: ServedAgent): object {
  return { name, ...(description !== undefined && { description }), metadata };
}
