import { TurnkeepError } from "../protocol/index.ts";

declare const SCOPE: unique symbol;

/**
 * The tenant a call acts for. Made only by {@link createScope}, which whoever authenticates the caller calls;
 * there is no default one, and no store call without one.
 */
export interface Scope {
  readonly tenant: string;
  readonly [SCOPE]: true;
}

/** Names one session. All three parts belong to its identity. */
export interface SessionKey {
  readonly scope: Scope;
  readonly agent: string;
  readonly sessionId: string;
}

const MAX_NAME_BYTES = 512;

/** @throws TurnkeepError INVALID_ARGUMENT when the tenant is blank, too long or not well-formed text. */
export function createScope(tenant: string): Scope {
  checkName("tenant", tenant);
  return { tenant } as Scope;
}

/** @throws TurnkeepError INVALID_ARGUMENT when a part is blank, too long or not well-formed text. */
export function createSessionKey(scope: Scope, agent: string, sessionId: string): SessionKey {
  checkName("agent", agent);
  checkName("sessionId", sessionId);
  return { scope, agent, sessionId };
}

// Databases refuse NUL and replace lone surrogates, so two such ids could come to mean one session.
function checkName(field: string, name: unknown): void {
  if (typeof name !== "string" || name.trim() === "") refuse(field, "must be a non-blank string");
  // No character takes more than three bytes of UTF-8 for each of its code units.
  if (3 * name.length > MAX_NAME_BYTES && new TextEncoder().encode(name).length > MAX_NAME_BYTES) {
    refuse(field, `must be at most ${MAX_NAME_BYTES} bytes long`);
  }
  if (name.includes("\0") || /\p{Surrogate}/u.test(name)) {
    refuse(field, "must be well-formed text without NUL");
  }
}

function refuse(field: string, rule: string): never {
  throw new TurnkeepError("INVALID_ARGUMENT", `${field}: ${rule}.`, { details: { field } });
}
