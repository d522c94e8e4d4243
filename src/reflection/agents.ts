import { jsonResponse, type ServedAgent } from "../http/index.ts";
import { initSchema, INPUT_SCHEMA, OUTPUT_SCHEMA, streamSchema } from "./agent-schemas.ts";
import type { StudioExchange } from "./studio-exchange.ts";

/** A: the agents by name. */
export async function listAgents({ services }: StudioExchange): Promise<Response> {
  const agents = services.agents.list().map((agent) => [agent.name, describe(agent)]);
  return jsonResponse({ agents: Object.fromEntries(agents) });
}

/** B: one agent with its schemas and tools. */
export async function readAgent({ agent }: StudioExchange): Promise<Response> {
  const { stateSchema } = agent.metadata;
  return jsonResponse({
    ...describe(agent),
    initSchema: initSchema(agent.metadata),
    inputSchema: INPUT_SCHEMA,
    outputSchema: OUTPUT_SCHEMA,
    streamSchema: streamSchema(stateSchema),
    ...(stateSchema && { stateSchema }),
    tools: await agent.inspector.describeTools(),
  });
}

function describe({ name, description, metadata, inspector, redacts }: ServedAgent): object {
  const hasStore = metadata.stateManagement === "server";
  const { storeType, storeCapabilities } = inspector;
  return {
    name,
    ...(description !== undefined && { description }),
    hasStore,
    ...(storeType !== undefined && { storeType }),
    metadata: {
      ...inspector.about,
      agent: {
        ...metadata,
        redacts,
        ...(storeCapabilities && { store: storeCapabilities }),
        capabilities: {
          listSessions: hasStore,
          deleteSessions: hasStore,
          fork: hasStore,
          detach: hasStore,
          attach: hasStore,
          export: hasStore,
          abort: metadata.abortable === true,
        },
      },
    },
  };
}
