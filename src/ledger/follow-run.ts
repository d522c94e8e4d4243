import { onAbort, TurnkeepError } from "../protocol/index.ts";
import { loggedRun } from "./event-log.ts";
import type { EventPage } from "./held-event.ts";
import type { Ledger } from "./ledger.ts";
import { listSnapshots } from "./list-snapshots.ts";
import { readingPace } from "./reading-pace.ts";
import { endKey, runKey } from "./row-key.ts";
import type { SessionKey } from "./scope.ts";
import { SessionHints } from "./session-hints.ts";

export interface FollowOptions {
  /** The last seq already seen. */
  readonly after?: number;
  /** Whether the reader has found the run there before; then it is over when it is gone. */
  readonly isKnown?: boolean;
  readonly signal?: AbortSignal;
}

// Hints may be lost; the log is looked at again at the latest after this time.
const LONGEST_WAIT_MS = 1000;

/**
 * The events of a run after a seq, each once and in order, as they become durable, until `runEnd`. Also ends when the run's rows have been
 * swept, without `runEnd`. As many at a time as are there; none, when the run is there and has nothing more to say yet.
 *
 * @throws TurnkeepError NOT_FOUND when there never was such a run, as far as is known.
 */
export async function* followRun(
  ledger: Ledger,
  key: SessionKey,
  { runId, after = 0, isKnown, signal }: FollowOptions & { readonly runId: string },
): AsyncGenerator<EventPage["lists"]> {
  const { until, end } = stopAfter(signal);
  const hints = new SessionHints(key, { store: ledger.store, ports: ledger.ports, signal: until });
  const run = loggedRun(key, runId);
  let last = after;
  // At first, and when nobody said for a while that something happened: otherwise the log itself says when it ends.
  let isDoubtful = true;
  let row: string | undefined;
  // It will be about as much as the last time.
  let expected = 0;
  try {
    for (;;) {
      const turn = readingPace.admit(expected, ledger.ports.timers);
      if (turn) await turn;
      const place = { after: last, row, isDoubtful };
      const page = await ledger.readHeldEvents(run, place);
      const { lists } = page;
      const newest = lists.at(-1)?.at(-1);
      if (newest) yield lists;
      if (newest?.type === "runEnd") return;
      until.throwIfAborted();
      if (newest) {
        last = newest.seq;
        row = page.row;
        expected = page.characters;
        isDoubtful = false;
        continue;
      }
      if (isDoubtful && (await isOver(ledger, key, { runId, last, after, isKnown }))) return;
      if (isDoubtful) yield [];
      isDoubtful = !(await hints.next(LONGEST_WAIT_MS));
    }
  } finally {
    end();
  }
}

// By hand, since there may be thousands: a signal made of others costs more than the rest of a reader.
function stopAfter(signal: AbortSignal | undefined): {
  readonly until: AbortSignal;
  readonly end: () => void;
} {
  const stop = new AbortController();
  const forget = signal && onAbort(signal, () => stop.abort(signal.reason));
  return {
    until: stop.signal,
    end: () => {
      forget?.();
      stop.abort(null);
    },
  };
}

interface SeenRun {
  readonly runId: string;
  /** Where the reader began, and where it is. */
  readonly after: number;
  readonly last: number;
  readonly isKnown: boolean | undefined;
}

async function isOver(
  { store }: Ledger,
  key: SessionKey,
  { runId, after, last, isKnown = last > after }: SeenRun,
): Promise<boolean> {
  const { rows } = await store.load(key, { rows: [runKey(runId), endKey(runId)] });
  if (!rows.has(runKey(runId))) return isKnown || (await isSwept({ store, key }, runId));
  const end = rows.get(endKey(runId));
  return end !== undefined && (JSON.parse(end) as { seq: number }).seq <= last;
}

// Its rows are gone when it has been over for long; its snapshots remember it then.
async function isSwept(
  { store, key }: { readonly store: Ledger["store"]; readonly key: SessionKey },
  runId: string,
): Promise<boolean> {
  const snapshots = await listSnapshots(store, key);
  if (snapshots.some((snapshot) => snapshot.runId === runId)) return true;
  throw new TurnkeepError("NOT_FOUND", `Session "${key.sessionId}" has no run "${runId}".`);
}
