import { parseArgs } from "node:util";
import { isPlaceName, PLACE_NAMES, type PlaceName } from "../support/places/places.ts";
import { runChaos } from "./chaos.ts";
import { printReport } from "./chaos-report.ts";
import { chooseSeed } from "./seeded-random.ts";

// npm run chaos -- --store postgres --faults 300 --seed 7
const STORES: readonly PlaceName[] = PLACE_NAMES.filter((name) => name !== "memory");
const USAGE = `Usage: npm run chaos -- [--store ${STORES.join("|")}] [--faults N] [--seed S]`;
const USAGE_EXIT = 2;

process.exitCode = await run();

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      store: { type: "string", default: "sqlite" },
      faults: { type: "string", default: "300" },
      seed: { type: "string" },
    },
  });
  const { store } = values;
  const faults = Number(values.faults);
  if (!isPlaceName(store) || !STORES.includes(store) || !Number.isSafeInteger(faults)) {
    console.error(USAGE);
    return USAGE_EXIT;
  }
  const seed = chooseSeed(values.seed);
  process.stdout.write(`seed ${seed}\n`);
  const report = await runChaos({ store, faults, seed });
  printReport(report);
  return report.violations.length === 0 ? 0 : 1;
}
