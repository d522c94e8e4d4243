import type { LocalAgent, SessionStore } from "../agent/index.ts";
import { type Json, TurnkeepError } from "../protocol/index.ts";

/** Which session to copy, and where to. */
export interface ForkIntoTestOptions {
  /** An empty store for the test. */
  readonly store: SessionStore;
  readonly sessionId: string;
  /** Whose session it is, where it is not of the agent's own tenant. */
  readonly tenant?: string;
  /** The lines of an exported session. Without, it is read from the agent's own store. */
  readonly lines?: Iterable<string> | AsyncIterable<string>;
}

/**
 * The agent as it is, on a store of the test's own that holds a copy of a stored session with all its snapshots: go on from its head, or from any of them
 * by its id. What the session came from is only read.
 *
 * @throws TurnkeepError NOT_FOUND when there is no such session, INVALID_ARGUMENT when the lines are no session.
 */
export async function forkIntoTest<Custom, Output, Status>(
  agent: LocalAgent<Custom, Output, Json, Status>,
  { store, sessionId, tenant, lines }: ForkIntoTestOptions,
): Promise<LocalAgent<Custom, Output, Json, Status>> {
  const reader = tenant === undefined ? {} : { tenant };
  const copy = agent.withStore(store);
  const source = lines ?? agent.exportSession(sessionId, reader);
  const { kind } = await copy.importSession(sessionId, source, reader);
  if (kind === "imported") return copy;
  throw new TurnkeepError(
    "ALREADY_EXISTS",
    `The test's store has a session '${sessionId}' already. Give each test a store of its own.`,
  );
}
