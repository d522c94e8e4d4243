import type { DispatchedWork } from "../../agent/index.ts";
import { createScope, createSessionKey, hashText, type SessionKey } from "../../ledger/index.ts";
import { TurnkeepError } from "../../protocol/index.ts";

/** All that a job holds: the name of a session. What was said in it never leaves the store. */
export interface SessionJob {
  readonly tenant: string;
  readonly agent: string;
  readonly sessionId: string;
}

export function jobOf({ scope: { tenant }, agent, sessionId }: SessionKey): SessionJob {
  return { tenant, agent, sessionId };
}

/** The same for the same work, so that BullMQ keeps one job of it. Names may hold characters that BullMQ's ids may not, hence the digest. */
export function jobIdOf({ key, id }: DispatchedWork): string {
  const { tenant, agent, sessionId } = jobOf(key);
  return `turn-${hashText(JSON.stringify([tenant, agent, sessionId, id]))}`;
}

/** @throws TurnkeepError INVALID_ARGUMENT when the job is none of ours. */
export function keyOfJob(data: unknown): SessionKey {
  if (typeof data !== "object" || data === null) {
    throw new TurnkeepError("INVALID_ARGUMENT", "The queue holds a job that names no session.");
  }
  const { tenant, agent, sessionId } = data as Partial<SessionJob>;
  // These refuse whatever is no name.
  return createSessionKey(createScope(tenant as string), agent as string, sessionId as string);
}
