import fc from "fast-check";
import { expect, it } from "vitest";
import { chooseSeed } from "../../chaos/seeded-random.ts";
import { playSequence } from "./play-sequence.ts";
import { sequence } from "./sequence.ts";

const SEQUENCES = Number(process.env["TURNKEEP_SEQUENCES"] ?? 2000);

it(
  `live and late readers see one turnEnd per input over ${SEQUENCES} random sequences`,
  async () => {
    // TURNKEEP_SEED plays the same ones again, TURNKEEP_PATH the one that failed: both are printed with it.
    // As many as TURNKEEP_SEQUENCES says, for longer runs.
    const seed = chooseSeed(process.env["TURNKEEP_SEED"]);
    const path = process.env["TURNKEEP_PATH"];
    const counts: Record<string, number> = {};
    const count = (name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);
    const property = fc.asyncProperty(sequence, async (one) => {
      const { acts, paths, turnEnds, takeOvers } = await playSequence(one);
      count("sequences");
      for (const name of [...acts, ...paths, ...turnEnds.map((reason) => `turnEnd ${reason}`)])
        count(name);
      if (takeOvers > 0) count("take-overs");
    });
    const began = performance.now();
    await fc.assert(property, {
      numRuns: SEQUENCES,
      seed,
      // One that hangs is one that failed.
      timeout: 30_000,
      ...(path !== undefined && { path }),
    });
    const seconds = Math.round(performance.now() - began) / 1000;
    console.log(JSON.stringify({ test: "streams", seed, seconds, ...counts }));
    if (path === undefined) expect(counts["sequences"]).toBe(SEQUENCES);
  },
  Math.max(300_000, 100 * SEQUENCES),
);
