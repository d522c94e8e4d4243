import { describe, expect, it } from "vitest";
import { MUTANTS } from "./mutants.ts";
import { plantMutant } from "./plant-mutant.ts";

// Enough for every fault that the longer `npm run mutants` catches.
const EFFORT = { runs: 4000, seeds: [7, 11, 23] };

describe.concurrent("a planted fault", () => {
  it.for(MUTANTS.filter(({ survivesBy }) => survivesBy === undefined))(
    "is noticed: $name",
    async (mutant) => {
      const { caught, by } = await plantMutant(mutant, EFFORT);
      expect(caught, by).toBe(true);
    },
  );

  it("is noticed in at least twelve cases", () => {
    expect(
      MUTANTS.filter(({ survivesBy }) => survivesBy === undefined).length,
    ).toBeGreaterThanOrEqual(12);
  });
});
