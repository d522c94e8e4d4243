import type { SessionKey } from "../ledger/index.ts";

/** One text per session, different for different sessions whatever characters their parts hold. */
export function sessionName(key: SessionKey): string {
  return JSON.stringify([key.scope.tenant, key.agent, key.sessionId]);
}
