import { setTimeout } from "node:timers/promises";
import type { SessionKey, SessionStore } from "../../src/ledger/index.ts";
import { insistently } from "./insistently.ts";

const LONGEST_DRAIN_MS = 120_000;

export interface Drained {
  readonly drainMs: number;
  /** A line for each session that never came to rest. */
  readonly restless: readonly string[];
}

/** Waits until no session has a turn that runs or waits. */
export async function drain(store: SessionStore, keys: readonly SessionKey[]): Promise<Drained> {
  const begunAt = Date.now();
  for (;;) {
    const restless: string[] = [];
    for (const key of keys) {
      const { record } = await insistently(() => store.load(key));
      if (record?.active || record?.queue.length) restless.push(key.sessionId);
    }
    const drainMs = Date.now() - begunAt;
    if (restless.length === 0) return { drainMs, restless };
    if (drainMs > LONGEST_DRAIN_MS) {
      return { drainMs, restless: restless.map((id) => `${id}: nobody finishes its turns`) };
    }
    await setTimeout(25);
  }
}
