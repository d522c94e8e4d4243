import { parseArgs } from "node:util";
import { isPlaceName, PLACE_NAMES, type PlaceName } from "../support/places/places.ts";
import { runChaos } from "./chaos.ts";
import { printReport } from "./chaos-report.ts";
import { chooseSeed } from "./seeded-random.ts";
import { mainServingChaos } from "./serving/run-serving-chaos.ts";
import { mainWorkersChaos } from "./workers/run-workers-chaos.ts";

// npm run chaos -- --store postgres --faults 300 --seed 7
// npm run chaos -- --store postgres --faults 130 --crashes 30
// npm run chaos -- --servers --store redis --faults 300
// npm run chaos -- --workers bullmq --backend redis --store postgres
const STORES: readonly PlaceName[] = PLACE_NAMES.filter((name) => name !== "memory");
const USAGE = `Usage: npm run chaos -- [--store ${STORES.join("|")}] [--faults N] [--crashes N] [--seed S] [--servers] [--workers bullmq --backend redis|postgres]`;
const USAGE_EXIT = 2;

process.exitCode = await run();

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      store: { type: "string", default: "sqlite" },
      faults: { type: "string", default: "300" },
      crashes: { type: "string" },
      seed: { type: "string" },
      servers: { type: "boolean", default: false },
      workers: { type: "string" },
      backend: { type: "string", default: "redis" },
    },
  });
  const { store } = values;
  const faults = Number(values.faults);
  const crashes = values.crashes === undefined ? undefined : Number(values.crashes);
  if (!isPlaceName(store) || !STORES.includes(store) || !isPossible(faults, crashes)) {
    console.error(USAGE);
    return USAGE_EXIT;
  }
  const seed = chooseSeed(values.seed);
  process.stdout.write(`seed ${seed}\n`);
  if (values.servers) return exitCode(await mainServingChaos({ store, faults, seed }));
  if (values.workers !== undefined) {
    return exitCode(await mainWorkersChaos({ ...values, store, faults, seed }));
  }
  const report = await runChaos({ store, faults, seed, ...(crashes !== undefined && { crashes }) });
  printReport(report);
  return exitCode(report.violations.length + report.late.length === 0);
}

function exitCode(isKept: boolean): number {
  return isKept ? 0 : 1;
}

function isPossible(faults: number, crashes: number | undefined): boolean {
  if (!Number.isSafeInteger(faults)) return false;
  return crashes === undefined || (crashes > 0 && crashes <= faults);
}
