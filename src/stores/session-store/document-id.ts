import type { SessionKey } from "../../ledger/index.ts";

// The tenant of calls that name none.
const DEFAULT_TENANT = "local";
const SEPARATOR = "~";

/**
 * The id of a session in a session store: its session id for the default tenant, so that other programs find it. Sessions of other tenants have ids that no
 * session id of the default tenant can be.
 */
export function documentId({ scope, agent, sessionId }: SessionKey): string {
  const isPlain = scope.tenant === DEFAULT_TENANT && !sessionId.includes(SEPARATOR);
  return isPlain ? sessionId : [scope.tenant, agent, sessionId].map(encoded).join(SEPARATOR);
}

function encoded(part: string): string {
  return encodeURIComponent(part).replaceAll(SEPARATOR, "%7E");
}
