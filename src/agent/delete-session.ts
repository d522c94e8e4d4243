import {
  createSessionKey,
  type Ledger,
  type LinkedSession,
  type SessionKey,
} from "../ledger/index.ts";

/** An agent that can delete a session as part of deleting another: any agent of this process. */
export interface LinkedAgent {
  readonly name: string;
  /** Resolves to the sessions that belonged to it; `undefined` when there is no such session. */
  readonly eraseSession: (
    sessionId: string,
    options: EraseOptions,
  ) => Promise<readonly LinkedSession[] | undefined>;
}

export interface EraseOptions {
  readonly tenant: string;
  /** The sessions that are being deleted, because of which this one is. */
  readonly above: readonly LinkedSession[];
}

export interface Erasure {
  readonly ledger: Ledger;
  readonly key: SessionKey;
  /** Agents that may keep linked sessions elsewhere. Those of others are looked for in this store. */
  readonly agents?: (() => Promise<readonly LinkedAgent[]> | readonly LinkedAgent[]) | undefined;
  readonly above?: readonly LinkedSession[];
}

/**
 * Deletes a session after those linked to it. A process that dies on the way leaves the session, and what it knows of the others: delete it again. Resolves to
 * the linked ones that were there; `undefined` when the session is not.
 */
export async function deleteSession(
  erasure: Erasure,
): Promise<readonly LinkedSession[] | undefined> {
  const { ledger, key } = erasure;
  const deleted = new Map<string, LinkedSession>();
  const deleteAll = async (linked: readonly LinkedSession[]): Promise<void> => {
    for (const one of linked) {
      for (const found of await deleteLinked(erasure, one)) deleted.set(nameOf(found), found);
    }
  };
  let gone: readonly LinkedSession[] = [];
  let removed = await ledger.remove(key, gone);
  while (removed.kind === "linked") {
    gone = removed.linked;
    await deleteAll(gone);
    removed = await ledger.remove(key, gone);
  }
  // A turn that was under way may have used one again before it lost the session.
  await deleteAll(gone);
  return removed.kind === "removed" || deleted.size > 0 ? [...deleted.values()] : undefined;
}

async function deleteLinked(
  { ledger, key, agents, above = [] }: Erasure,
  linked: LinkedSession,
): Promise<readonly LinkedSession[]> {
  const path = [...above, { agent: key.agent, sessionId: key.sessionId }];
  // Sessions that belong to each other are deleted once.
  if (path.some((one) => nameOf(one) === nameOf(linked))) return [];
  const { scope } = key;
  const agent = (await agents?.())?.find(({ name }) => name === linked.agent);
  const below = agent
    ? await agent.eraseSession(linked.sessionId, { tenant: scope.tenant, above: path })
    : await deleteSession({
        ledger,
        key: createSessionKey(scope, linked.agent, linked.sessionId),
        above: path,
      });
  return below === undefined ? [] : [linked, ...below];
}

function nameOf({ agent, sessionId }: LinkedSession): string {
  return JSON.stringify([agent, sessionId]);
}
