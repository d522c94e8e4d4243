import { expect, inject, test } from "vitest";
import { sqlitePlace } from "../support/places/sqlite-place.ts";
import { chooseSeed } from "./seeded-random.ts";
import { printWorkersReport, runWorkersChaos } from "./workers/run-workers-chaos.ts";

const FAULTS = 20;

const BACKENDS = [
  ["redis", inject("redisUrl")],
  ["postgres", inject("postgresUrl")],
] as const;

test.each(BACKENDS)(
  "with workers on BullMQ and %s, nothing accepted is lost and no tool runs twice when they are killed and frozen",
  async (backend, url) => {
    const place = await sqlitePlace();
    const seed = chooseSeed(process.env["TURNKEEP_SEED"]);
    const report = await runWorkersChaos({ backend, url, place, faults: FAULTS, seed }).finally(
      place.remove,
    );
    printWorkersReport(report);
    expect(report.violations).toEqual([]);
    expect(report.kills + report.stops).toBe(FAULTS);
    expect(report.takeOvers).toBeGreaterThan(0);
  },
  120_000,
);
