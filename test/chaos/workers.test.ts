import { expect, inject, test } from "vitest";
import { sqlitePlace } from "../support/places/sqlite-place.ts";
import { chooseSeed } from "./seeded-random.ts";
import { printWorkersReport, runWorkersChaos } from "./workers/run-workers-chaos.ts";

const FAULTS = 20;

const BACKENDS = [
  { backend: "redis", url: inject("redisUrl") },
  { backend: "postgres", url: inject("postgresUrl") },
] as const;

// Servers may be missing; the run says so then.
test.each(BACKENDS.filter(({ url }) => url !== ""))(
  "with workers on BullMQ and $backend, nothing accepted is lost and no tool runs twice when they are killed and frozen",
  async ({ backend, url }) => {
    const place = await sqlitePlace();
    const seed = chooseSeed(process.env["TURNKEEP_SEED"]);
    const report = await runWorkersChaos({ backend, url, place, faults: FAULTS, seed });
    await place.remove();
    printWorkersReport(report);
    expect(report.violations).toEqual([]);
    expect(report.kills + report.stops).toBe(FAULTS);
    expect(report.takeOvers).toBeGreaterThan(0);
  },
  120_000,
);
