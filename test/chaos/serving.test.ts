import { expect, test } from "vitest";
import { testPlace } from "../support/places/test-place.ts";
import { chooseSeed } from "./seeded-random.ts";
import { printServingReport, runServingChaos } from "./serving/run-serving-chaos.ts";

// A short one. `npm run chaos -- --servers` runs as long as it is told to, on any store that processes share.
const FAULTS = 12;

test("no input is lost, doubled or aborted when servers get SIGTERM during accepts, are killed, frozen or blocked", async () => {
  const place = await testPlace("sqlite");
  const seed = chooseSeed(process.env["TURNKEEP_SEED"]);
  const report = await runServingChaos({ place, faults: FAULTS, seed });
  printServingReport(report);
  expect(report.violations).toEqual([]);
}, 600_000);
