import { describe, expect, test } from "vitest";
import { TEST_PLACES } from "../support/places/test-places.ts";
import { runChaos } from "./chaos.ts";
import { printReport } from "./chaos-report.ts";
import { chooseSeed } from "./seeded-random.ts";

const FAULTS = 100;
// 30 and 43 s on two cores that ran other tests beside them; a busy machine takes long to start a process.
const WITHIN_MS = 600_000;
// The others by `npm run chaos`: a minute each is too long for every run of the tests.
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
      expect(report.takeovers).toBeGreaterThan(0);
    },
    WITHIN_MS,
  );
});
