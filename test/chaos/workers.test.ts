import { expect, test } from "vitest";
import { testPlace } from "../support/places/test-place.ts";
import { postgresUrl } from "../support/postgres-url.ts";
import { redisUrl } from "../support/redis-url.ts";
import { chooseSeed } from "./seeded-random.ts";
import { printWorkersReport, runWorkersChaos } from "./workers/run-workers-chaos.ts";

// A short one. `npm run chaos -- --workers bullmq` runs as long as it is told to.
const FAULTS = 8;

const BACKENDS = [
  { backend: "redis", store: "sqlite", url: redisUrl },
  { backend: "postgres", store: "postgres", url: postgresUrl },
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
  },
  600_000,
);
