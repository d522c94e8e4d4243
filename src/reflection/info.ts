import { jsonResponse } from "../http/index.ts";
import { fieldsOf } from "./query.ts";
import type { StudioExchange } from "./studio-exchange.ts";

/** Rises when something that is here now changes its meaning. */
const API_VERSION = 1;

/** What this server is and can do. */
export async function readInfo(exchange: StudioExchange): Promise<Response> {
  const { services, studio, isReadOnly, traces } = exchange;
  const { name, version, revealRaw = false, prices } = studio.options;
  const { bodyBytes, streams } = services.limits;
  const agents = services.agents.list();
  const keepsSessions = agents.some(({ metadata }) => metadata.stateManagement === "server");
  return jsonResponse({
    ...(name !== undefined && { name }),
    ...(version !== undefined && { version }),
    apiVersion: API_VERSION,
    readOnly: isReadOnly,
    revealRaw,
    capabilities: {
      sessions: keepsSessions,
      runs: keepsSessions,
      traces: traces !== undefined,
      stats: keepsSessions,
      execute: !isReadOnly,
      write: !isReadOnly && keepsSessions,
      prices: prices !== undefined,
    },
    ...(prices && { prices }),
    limits: { bodyBytes, streams, importBytes: 50 * 1024 * 1024, listed: 200 },
  });
}

/** Takes the token once, and gives a cookie that scripts of pages cannot read. */
export async function openStudioSession(exchange: StudioExchange): Promise<Response> {
  const { token } = fieldsOf(await exchange.json());
  const cookie = exchange.studio.cookieFor(token, exchange.request);
  return new Response(null, { status: 204, headers: { "set-cookie": cookie } });
}
