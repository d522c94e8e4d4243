import type { SessionKey } from "../ledger/index.ts";

/** One text per session, different for different sessions whatever characters their parts hold. */
export function sessionName(key: SessionKey): string {
  const { scope, agent, sessionId } = key;
  return `${scope.tenant.length}:${scope.tenant}${agent.length}:${agent}${sessionId}`;
}
