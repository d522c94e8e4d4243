import { describe, expect, test } from "vitest";
import { Ledger } from "../../src/ledger/index.ts";
import type { SeededRandom } from "../chaos/seeded-random.ts";
import { TEST_PLACES, testStoreOn } from "../support/places/test-places.ts";
import { printCounts, runRaces, stagger } from "./start-race.ts";
import { beginTurn, type BegunTurn, seenOf, verdictOf } from "./turn-verdict.ts";

const RACES = 2000;
const AT_ONCE = 20;
const LEAST_SHARE = 0.2;

describe.each(TEST_PLACES)("on the %s store", (name) => {
  test("an abort and a finish that meet agree about who came first", async () => {
    const store = await testStoreOn(name);
    const ledger = new Ledger({ store });
    const won = { abort: 0, finish: 0 };
    const disagreements: unknown[] = [];
    await runRaces({ count: RACES, atOnce: AT_ONCE }, async (key, random) => {
      const turn = await beginTurn(ledger, key, random);
      const answers = await raceAbortAgainstFinish(ledger, turn, random);
      const seen = await seenOf(ledger, turn);
      const verdict = verdictOf(turn, answers, seen);
      if (verdict === "disagree") disagreements.push({ turn, answers, seen });
      else won[verdict] += 1;
    });
    printCounts("abort-finish", {
      store: name,
      races: RACES,
      ...won,
      disagreements: disagreements.length,
    });
    expect(disagreements).toEqual([]);
    expect(Math.min(won.abort, won.finish)).toBeGreaterThanOrEqual(LEAST_SHARE * RACES);
  });
});

async function raceAbortAgainstFinish(ledger: Ledger, turn: BegunTurn, random: SeededRandom) {
  const { key, work, nextSeq, content } = turn;
  const { runId, snapshotId } = work.claim;
  const target = random.chance(0.5) ? { runId } : { snapshotId };
  const [early, late] = [random.fork(), random.fork()];
  const [finished, aborted] = await Promise.all([
    stagger(early).then(() => ledger.finish(key, work, { status: "completed", content, nextSeq })),
    stagger(late).then(() => ledger.abort(key, target)),
  ]);
  return { finished, aborted };
}
