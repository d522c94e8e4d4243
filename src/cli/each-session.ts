import {
  createScope,
  type Scope,
  type SessionKey,
  type SessionPage,
  type SessionStore,
} from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import type { Terminal } from "./command.ts";

const PAGE = 100;
const TOLD_EVERY = 1000;

/**
 * Every session of these tenants, last updated first; says on the way how far it is.
 *
 * @throws TurnkeepError DATA_LOSS when the record of one cannot be read, naming the session before it.
 */
export async function* eachSession(
  store: SessionStore,
  tenants: readonly string[],
  terminal: Terminal,
): AsyncGenerator<SessionKey> {
  let count = 0;
  for (const tenant of tenants) {
    for await (const key of sessionsOf(store, createScope(tenant))) {
      yield key;
      count += 1;
      if (count % TOLD_EVERY === 0) terminal.err(`${count} sessions looked at`);
    }
  }
}

async function* sessionsOf(store: SessionStore, scope: Scope): AsyncGenerator<SessionKey> {
  let limit = PAGE;
  let last: string | undefined;
  for (let after: string | undefined; ;) {
    const page = await findPage(store, scope, { limit, after });
    if (page === undefined && limit === 1) throw unreadable(scope, last);
    if (page === undefined) {
      // One record spoils its page: those before it are read one by one.
      limit = 1;
      continue;
    }
    for (const { key } of page.sessions) {
      yield key;
      last = key.sessionId;
    }
    if (page.next === undefined) return;
    after = page.next;
  }
}

async function findPage(
  store: SessionStore,
  scope: Scope,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<SessionPage | undefined> {
  try {
    return await store.list(scope, { limit, ...(after !== undefined && { after }) });
  } catch (error) {
    // A store that is away says nothing about what it keeps.
    if (TurnkeepError.is(error) && error.status === "UNAVAILABLE") throw error;
    return undefined;
  }
}

function unreadable({ tenant }: Scope, last: string | undefined): TurnkeepError {
  const which = last === undefined ? "the first one listed" : `the one listed after ${last}`;
  return new TurnkeepError(
    "DATA_LOSS",
    `The record of a session of tenant ${tenant}, ${which}, cannot be read: nothing behind it was looked at. Nothing was changed.`,
  );
}
