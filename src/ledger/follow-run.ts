import type { Ledger } from "./ledger.ts";
import { endKey, runKey } from "./row-key.ts";
import type { NumberedEvent } from "./run-event.ts";
import type { SessionKey } from "./scope.ts";

export interface FollowOptions {
  /** The last seq already seen. */
  readonly after?: number;
  readonly signal?: AbortSignal;
}

// Hints may be lost; the log is looked at again at the latest after this time.
const LONGEST_WAIT_MS = 1000;

/**
 * The events of a run after a seq, each once and in order, as they become durable, until `runEnd`. Also ends when the run's rows have been
 * swept, without `runEnd`.
 */
export async function* followRun(
  ledger: Ledger,
  key: SessionKey,
  { runId, after = 0, signal }: FollowOptions & { readonly runId: string },
): AsyncGenerator<NumberedEvent> {
  const stop = new AbortController();
  const until = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const hints = ledger.store.watch(key, { signal: until })[Symbol.asyncIterator]();
  let last = after;
  try {
    for (;;) {
      const page = await ledger.readEvents(key, runId, last);
      yield* page;
      last = page.at(-1)?.seq ?? last;
      if (page.at(-1)?.event.type === "runEnd") return;
      until.throwIfAborted();
      if (page.length > 0) continue;
      if (await isOver(ledger, key, { runId, last })) return;
      await hintOrTimeout(ledger, hints);
    }
  } finally {
    stop.abort(null);
  }
}

async function isOver(
  { store }: Ledger,
  key: SessionKey,
  { runId, last }: { readonly runId: string; readonly last: number },
): Promise<boolean> {
  const { rows } = await store.load(key, { rows: [runKey(runId), endKey(runId)] });
  if (!rows.has(runKey(runId))) return true;
  const end = rows.get(endKey(runId));
  return end !== undefined && (JSON.parse(end) as { seq: number }).seq <= last;
}

async function hintOrTimeout({ ports }: Ledger, hints: AsyncIterator<void>): Promise<void> {
  const awake = new AbortController();
  const timeout = ports.timers.sleep(LONGEST_WAIT_MS, { signal: awake.signal }).catch(() => {});
  await Promise.race([hints.next(), timeout]);
  awake.abort(null);
}
