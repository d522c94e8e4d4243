import type { Retention, SessionStore } from "turnkeep";
import { createScope, createSessionKey, Ledger, sweepDue } from "../../../src/ledger/index.ts";

/** Removes now what the retention would no longer keep: a session is due by itself only after hours. */
export async function sweepNow(
  store: SessionStore,
  session: { readonly agent: string; readonly sessionId: string },
  retention: Partial<Retention>,
): Promise<void> {
  const key = createSessionKey(createScope("local"), session.agent, session.sessionId);
  const { version, record } = await store.load(key);
  await store.commit(key, { expect: version, record: { ...record!, sweepAt: 1 } });
  await new Promise((resolve) => setTimeout(resolve, 2));
  await sweepDue(new Ledger({ store, retention }));
}
