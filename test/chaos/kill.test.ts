import { describe, expect, test } from "vitest";
import { TEST_PLACES } from "../support/places/test-places.ts";
import { runChaos } from "./chaos.ts";
import { printReport } from "./chaos-report.ts";
import { chooseSeed } from "./seeded-random.ts";

// A short one, and of two stores. `npm run chaos` runs as long as it is told to, on any.
const FAULTS = 30;
const WITHIN_MS = 600_000;
const STORES = TEST_PLACES.filter((name) => ["sqlite", "postgres"].includes(name));

describe.each(STORES)("on the %s store", (store) => {
  test(
    "nothing acknowledged is lost, doubled or torn, whatever happens to workers and server",
    async () => {
      const seed = chooseSeed(process.env["TURNKEEP_SEED"]);
      const report = await runChaos({ store, faults: FAULTS, seed });
      printReport(report);
      expect(report.violations).toEqual([]);
      expect(report.faults).toBe(FAULTS);
    },
    WITHIN_MS,
  );
});
