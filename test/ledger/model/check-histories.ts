import fc from "fast-check";
import {
  type Clock,
  type Ports,
  type SessionKey,
  type SessionStore,
  SortableIds,
} from "../../../src/ledger/index.ts";
import { MemoryStore } from "../../../src/stores/memory/index.ts";
import { type History, history } from "./history.ts";
import { checkInvariants } from "./invariants.ts";
import { historyKey, SessionModel } from "./session-model.ts";
import { type Interleave, WatchedStore } from "./watched-store.ts";

export interface CheckOptions {
  readonly runs: number;
  readonly seed?: number;
  /** Replays one failing history; printed with it. */
  readonly path?: string;
  /** Reports the first failing history as it is, without looking for a smaller one. */
  readonly endOnFailure?: boolean;
  /** Opens the store that all histories are played on. Without it each has a memory store of its own. */
  readonly open?: (options: { readonly clock: Clock }) => Promise<SessionStore>;
}

export interface CheckReport {
  readonly histories: number;
  readonly commits: number;
  readonly conflicts: number;
  readonly kinds: Readonly<Record<string, number>>;
}

/** Plays random concurrent histories and checks every invariant after each. Rejects with the smallest failing one. */
export async function checkHistories({
  runs,
  seed,
  path,
  endOnFailure = false,
  open,
}: CheckOptions): Promise<CheckReport> {
  const clock = new ModelClock();
  const shared = await open?.({ clock });
  const total = { histories: 0, commits: 0, conflicts: 0, kinds: {} as Record<string, number> };
  const property = fc.asyncProperty(fc.scheduler(), history, async (scheduler, played) => {
    const store = shared ?? new MemoryStore({ clock });
    const key = historyKey(total.histories);
    total.histories += 1;
    const { watched, kinds } = await playHistory(played, { scheduler, store, key, clock });
    if (shared) await forget(shared, key);
    total.commits += watched.commits;
    total.conflicts += watched.conflicts;
    for (const [kind, count] of kinds) total.kinds[kind] = (total.kinds[kind] ?? 0) + count;
  });
  try {
    await fc.assert(property, {
      numRuns: runs,
      endOnFailure,
      ...(seed !== undefined && { seed }),
      ...(path !== undefined && { path }),
    });
  } finally {
    await shared?.close();
  }
  return total;
}

interface Stage {
  readonly scheduler: fc.Scheduler;
  readonly store: SessionStore;
  readonly key: SessionKey;
  readonly clock: ModelClock;
}

async function playHistory(
  { actors, lostAnswers, keepLast }: History,
  { scheduler, store, key, clock }: Stage,
): Promise<{ readonly watched: WatchedStore; readonly kinds: ReadonlyMap<string, number> }> {
  const watched = new WatchedStore(store, interleaveBy(scheduler), lostAnswers);
  const ports = countingPorts();
  const model = new SessionModel(watched.asStore(), key, { ports, wait: clock.advance, keepLast });
  await scheduler.waitFor(Promise.all(actors.map((actions) => model.play(actions))));
  await scheduler.waitFor(model.drain());
  const { inputs, snapshots: committed, lastAdded } = watched;
  const { told } = model;
  await checkInvariants(store, key, { told, inputs, committed, lastAdded, keepLast });
  return { watched, kinds: model.told.kinds };
}

// The scheduler waits for each call to end before it picks the next, so that a history is the same on every store.
function interleaveBy(scheduler: fc.Scheduler): Interleave {
  return async (work) => {
    // It takes no call that rejects.
    const settle = scheduler.scheduleFunction(() => Promise.allSettled([work()]));
    const [outcome] = await settle();
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  };
}

async function forget(store: SessionStore, key: SessionKey): Promise<void> {
  const { version } = await store.load(key);
  if (version > 0) await store.commit(key, { expect: version, record: null });
}

class ModelClock implements Clock {
  #time = 1_000_000;

  readonly now = (): number => this.#time;

  readonly advance = (milliseconds: number): void => {
    this.#time += milliseconds;
  };
}

// Ids and chance that repeat with the seed.
function countingPorts(): Ports {
  let count = 0;
  const ids = new SortableIds({ now: () => 0 }, () => {});
  return {
    ids: { next: () => `${(count += 1)}-${ids.next()}` },
    random: { next: () => 0.5 },
    timers: { sleep: () => Promise.resolve(), after: () => () => {} },
  };
}
