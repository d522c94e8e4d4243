import {
  createScope,
  type Scope,
  type SessionPage,
  type SessionStore,
  type SurveyedSession,
} from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import type { ChosenStore } from "./chosen-stores.ts";
import type { Terminal } from "./command.ts";
import { Progress } from "./progress.ts";
import { misuse } from "./read-arguments.ts";

const PAGE = 100;

/** A session to look at, and a way to say something before the next one. */
export interface VisitedSession {
  readonly session: SurveyedSession;
  /** Prints lines between those of the progress bar. */
  readonly tell: (lines: readonly string[]) => void;
}

/**
 * Every session of a store, of the tenants that were named or else of all of them; shows on a terminal what is being done, and how far it is.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when no tenant was named and the store cannot say which there are.
 */
export async function* eachSession(
  chosen: ChosenStore,
  terminal: Terminal,
  doing: string,
): AsyncGenerator<VisitedSession, void> {
  const total = terminal.isInteractive ? await countOf(chosen) : undefined;
  const progress = new Progress(terminal, `${doing} ${chosen.name}`);
  const tell = (lines: readonly string[]): void => {
    if (lines.length > 0) progress.end();
    for (const line of lines) terminal.out(line);
  };
  let seen = 0;
  try {
    for await (const session of sessionsIn(chosen)) {
      progress.show(seen, total);
      yield { session, tell };
      seen += 1;
    }
  } finally {
    progress.end();
  }
}

async function countOf(chosen: ChosenStore): Promise<number> {
  let count = 0;
  for await (const _ of sessionsIn(chosen)) count += 1;
  return count;
}

async function* sessionsIn({
  name,
  store,
  tenants,
}: ChosenStore): AsyncGenerator<SurveyedSession, void> {
  if (store.survey === undefined) {
    if (tenants.length === 0) {
      throw misuse(`Name the tenants with --tenant: ${name} cannot say which there are.`);
    }
    for (const tenant of tenants) yield* listedOf(store, createScope(tenant));
    return;
  }
  for await (const session of store.survey()) {
    const isMeant =
      tenants.length === 0 || !session.key || tenants.includes(session.key.scope.tenant);
    if (isMeant) yield session;
  }
}

// One record that cannot be read spoils its page: those before it are read one by one, and what is behind it cannot be reached.
async function* listedOf(store: SessionStore, scope: Scope): AsyncGenerator<SurveyedSession, void> {
  let limit = PAGE;
  let last = "";
  for (let after: string | undefined; ;) {
    const page = await findPage(store, scope, { limit, after });
    if (page === undefined && limit === 1) {
      const which = last === "" ? "the first session listed" : `the one listed after ${last}`;
      yield { place: `tenant ${scope.tenant}, ${which} and whatever is behind it` };
      return;
    }
    if (page === undefined) {
      limit = 1;
      continue;
    }
    for (const { key } of page.sessions) {
      yield { key };
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
