import type { SessionKey } from "../../../src/ledger/index.ts";
import { createScope, createSessionKey } from "../../../src/ledger/index.ts";

/** A session of one tenant and agent. */
export function keyOf(sessionId: string): SessionKey {
  return createSessionKey(createScope("tenant"), "agent", sessionId);
}
