import { expect, it } from "vitest";
import { chooseSeed } from "../../chaos/seeded-random.ts";
import { runResuming } from "./resuming.ts";

const READERS = 100;
const RUNS = 5;
const CHUNKS = 400;
const SEED = chooseSeed(process.env["TURNKEEP_SEED"]);

it(
  `${READERS} readers that come and go see each event once, though the server is killed (seed ${SEED})`,
  { timeout: 300_000 },
  async () => {
    const report = await runResuming({
      readers: READERS,
      runs: RUNS,
      chunks: CHUNKS,
      pauseMs: 20,
      kills: 1,
      // More than any of them has seen, on average, when the server is killed.
      holdAt: 100,
      seed: SEED,
      isBuilt: false,
    });
    expect(report).toMatchObject({ gaps: 0, doubles: 0, misled: 0, kills: 1, ownClients: 10 });
    expect(report.events).toBeGreaterThanOrEqual(READERS * (CHUNKS + 2));
    // Every run began again, which is an event too.
    expect(report.restarts).toBeGreaterThanOrEqual(RUNS);
    expect(report.leaves).toBeGreaterThan(0);
    expect(report.losses).toBeGreaterThan(0);
  },
);
