import assert from "node:assert/strict";
import {
  type Commit,
  createScope,
  createSessionKey,
  type HeadRecord,
  type Row,
  type SessionKey,
  type SessionStore,
  TurnkeepError,
  type View,
} from "../../ledger/index.ts";
import { headRecord } from "../head-record.ts";

/** A session of the tenant and agent that cases use when it does not matter which. */
export function keyOf(
  sessionId: string,
  {
    tenant = "tenant",
    agent = "agent",
  }: { readonly tenant?: string; readonly agent?: string } = {},
): SessionKey {
  return createSessionKey(createScope(tenant), agent, sessionId);
}

/** Creates the session with this first commit, which leaves it at version 1. */
export async function createSession(
  store: SessionStore,
  key: SessionKey,
  { record = headRecord(), ...commit }: Partial<Commit> & { readonly record?: HeadRecord } = {},
): Promise<void> {
  assert.equal(await store.commit(key, { ...commit, expect: 0, record }), "ok");
}

/** Rows with these keys; each value names its key. */
export function rowsOf(...keys: readonly string[]): readonly Row[] {
  return keys.map((key) => ({ key, value: JSON.stringify({ key }) }));
}

/** Everything the store tells about a session, except the time. */
export async function readAll(store: SessionStore, key: SessionKey): Promise<Omit<View, "now">> {
  const { now, ...view } = await store.load(key, { ranges: [["!", "~"]] });
  assert.equal(typeof now, "number");
  return {
    ...view,
    rows: new Map([...view.rows].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
}

/** The keys of all rows of the session, in order. */
export async function keysIn(store: SessionStore, key: SessionKey): Promise<readonly string[]> {
  return [...(await readAll(store, key)).rows.keys()];
}

/** Asserts that the work rejects with this status, and reason if one is named. */
export async function rejectsWith(
  work: () => Promise<unknown>,
  {
    status,
    reason,
  }: { readonly status: TurnkeepError["status"]; readonly reason?: TurnkeepError["reason"] },
): Promise<void> {
  await assert.rejects(work, (error: unknown) => {
    assert.ok(TurnkeepError.is(error), `not a TurnkeepError: ${String(error)}`);
    assert.equal(error.status, status);
    if (reason !== undefined) assert.equal(error.reason, reason);
    return true;
  });
}
