import { expect, test } from "vitest";
import { printReport, runChaos } from "./run-chaos.ts";
import { chooseSeed } from "./seeded-random.ts";

const FAULTS = 100;

test("nothing acknowledged is lost, doubled or torn when workers are killed and frozen", async () => {
  const report = await runChaos({ faults: FAULTS, seed: chooseSeed(process.env["TURNKEEP_SEED"]) });
  printReport(report);
  expect(report.violations).toEqual([]);
  expect(report.kills + report.stops).toBeGreaterThanOrEqual(FAULTS);
  expect(report.takeovers).toBeGreaterThan(0);
}, 90_000);
