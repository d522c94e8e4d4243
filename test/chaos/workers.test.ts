import { expect, inject, test } from "vitest";
import { testPlace } from "../support/places/test-places.ts";
import { chooseSeed } from "./seeded-random.ts";
import { printWorkersReport, runWorkersChaos } from "./workers/run-workers-chaos.ts";

const FAULTS = 20;

const BACKENDS = [
  { backend: "redis", store: "sqlite", url: inject("redisUrl") },
  { backend: "postgres", store: "postgres", url: inject("postgresUrl") },
] as const;

// Servers may be missing; the run says so then.
test.each(BACKENDS.filter(({ url }) => url !== ""))(
  "with workers on BullMQ and $backend, and sessions in $store, nothing accepted is lost and no tool runs twice when they are killed and frozen",
  async ({ backend, store, url }) => {
    const place = await testPlace(store);
    const seed = chooseSeed(process.env["TURNKEEP_SEED"]);
    const report = await runWorkersChaos({ backend, url, place, faults: FAULTS, seed });
    printWorkersReport(report);
    expect(report.violations).toEqual([]);
    expect(report.kills + report.stops).toBe(FAULTS);
    expect(report.takeOvers).toBeGreaterThan(0);
    expect(report.takeOverP50Ms).toBeLessThan(report.leaseMs + 5000);
  },
  600_000,
);
