import type { SessionKey } from "../../../src/ledger/index.ts";
import { createScope, createSessionKey } from "../../../src/ledger/index.ts";

/** A session of one agent. */
export function keyOf(sessionId: string, tenant = "tenant"): SessionKey {
  return createSessionKey(createScope(tenant), "agent", sessionId);
}
