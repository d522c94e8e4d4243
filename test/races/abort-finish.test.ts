import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Ledger } from "../../src/ledger/index.ts";
import type { SeededRandom } from "../chaos/seeded-random.ts";
import { TEST_PLACES, testStoreOn } from "../support/places/test-places.ts";
import { printCounts, raceCount, raceTimeoutMs, runRaces, stagger } from "./start-race.ts";
import { beginTurn, type BegunTurn, seenOf, verdictOf } from "./turn-verdict.ts";

// `TURNKEEP_RACES=10000` for a longer run.
const MOST_RACES = 2000;
const AT_ONCE = 20;
const HANDICAP_STEP_MS = 0.5;

describe.each(TEST_PLACES)("on the %s store", (name) => {
  const races = raceCount(name, MOST_RACES);

  test(
    "an abort and a finish that meet agree about who came first",
    async () => {
      const store = await testStoreOn(name);
      const ledger = new Ledger({ store });
      const won = { abort: 0, finish: 0 };
      const handicap = new Handicap();
      const disagreements: unknown[] = [];
      await runRaces({ count: races, atOnce: AT_ONCE }, async (key, random) => {
        const turn = await beginTurn(ledger, key, random);
        const answers = await raceAbortAgainstFinish(ledger, turn, { random, handicap });
        const seen = await seenOf(ledger, turn);
        const verdict = verdictOf(turn, answers, seen);
        if (verdict === "disagree") disagreements.push({ turn, answers, seen });
        else won[verdict] += 1;
      });
      printCounts("abort-finish", {
        store: name,
        races,
        ...won,
        disagreements: disagreements.length,
      });
      expect(disagreements).toEqual([]);
      // Whoever wins is held back until the other does: a run in which they never met would prove nothing.
      expect(Math.min(won.abort, won.finish)).toBeGreaterThan(0);
    },
    raceTimeoutMs(races),
  );
});

/** Holds back whoever wins too often, so that the two meet as closely on a slow store as on a fast one. */
class Handicap {
  #finishLateMs = 0;

  readonly abort = async (): Promise<void> => await this.#wait(-this.#finishLateMs);
  readonly finish = async (): Promise<void> => await this.#wait(this.#finishLateMs);

  note(winner: "abort" | "finish"): void {
    this.#finishLateMs += winner === "finish" ? HANDICAP_STEP_MS : -HANDICAP_STEP_MS;
  }

  async #wait(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await setTimeout(milliseconds);
  }
}

async function raceAbortAgainstFinish(
  ledger: Ledger,
  turn: BegunTurn,
  { random, handicap }: { readonly random: SeededRandom; readonly handicap: Handicap },
) {
  const { key, work, nextSeq, content } = turn;
  const { runId, snapshotId } = work.claim;
  const target = random.chance(0.5) ? { runId } : { snapshotId };
  const [early, late] = [random.fork(), random.fork()];
  const [finished, aborted] = await Promise.all([
    stagger(early)
      .then(handicap.finish)
      .then(() => ledger.finish(key, work, { status: "completed", content, nextSeq })),
    stagger(late)
      .then(handicap.abort)
      .then(() => ledger.abort(key, target)),
  ]);
  handicap.note(aborted.kind === "aborted" ? "abort" : "finish");
  return { finished, aborted };
}
