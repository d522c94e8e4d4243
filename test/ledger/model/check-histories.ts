import fc from "fast-check";
import { type Ports, SortableIds } from "../../../src/ledger/index.ts";
import { MemoryStore } from "../../../src/stores/memory/index.ts";
import { history } from "./history.ts";
import { checkInvariants } from "./invariants.ts";
import { SessionModel } from "./session-model.ts";
import { WatchedStore } from "./watched-store.ts";

export interface CheckOptions {
  readonly runs: number;
  readonly seed?: number;
  /** Replays one failing history; printed with it. */
  readonly path?: string;
  /** Reports the first failing history as it is, without looking for a smaller one. */
  readonly endOnFailure?: boolean;
}

export interface CheckReport {
  readonly histories: number;
  readonly commits: number;
  readonly conflicts: number;
  readonly kinds: Readonly<Record<string, number>>;
}

/** Plays random concurrent histories over the memory store and checks every invariant after each. Rejects with the smallest failing one. */
export async function checkHistories({
  runs,
  seed,
  path,
  endOnFailure = false,
}: CheckOptions): Promise<CheckReport> {
  const total = { histories: 0, commits: 0, conflicts: 0, kinds: {} as Record<string, number> };
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), history, async (scheduler, { actors, lostAnswers }) => {
      let time = 1_000_000;
      const wait = (milliseconds: number): void => {
        time += milliseconds;
      };
      const memory = new MemoryStore({ clock: { now: () => time } });
      const store = new WatchedStore(
        memory,
        (work) => scheduler.schedule(Promise.resolve()).then(work),
        lostAnswers,
      );
      const model = new SessionModel(store.asStore(), countingPorts(), wait);
      const all = Promise.all(actors.map((actions) => model.play(actions)));
      await scheduler.waitFor(all);
      const draining = model.drain();
      await scheduler.waitFor(draining);
      await checkInvariants(memory, model.told, store.inputs);
      total.histories += 1;
      total.commits += store.commits;
      total.conflicts += store.conflicts;
      for (const [kind, count] of model.told.kinds)
        total.kinds[kind] = (total.kinds[kind] ?? 0) + count;
    }),
    {
      numRuns: runs,
      endOnFailure,
      ...(seed !== undefined && { seed }),
      ...(path !== undefined && { path }),
    },
  );
  return total;
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
