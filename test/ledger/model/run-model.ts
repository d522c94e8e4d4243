import { parseArgs } from "node:util";
import { isPlaceName, PLACE_NAMES } from "../../support/places/places.ts";
import { startPlaces } from "../../support/places/start-places.ts";
import { type CheckOptions, type CheckReport, checkHistories } from "./check-histories.ts";

// npm run model -- --runs 1000000 --seed 7; a failing history is replayed with the seed and path it prints.
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "100000" },
    store: { type: "string", default: "memory" },
    seed: { type: "string" },
    path: { type: "string" },
  },
});
const { store } = values;
const seed = values.seed === undefined ? Date.now() | 0 : Number(values.seed);
console.log(`seed ${seed}`);
const report = await check({
  runs: Number(values.runs),
  seed,
  ...(values.path !== undefined && { path: values.path }),
});
console.log(JSON.stringify({ store, seed, ...report }));

async function check(options: CheckOptions): Promise<CheckReport> {
  if (store === "memory") return await checkHistories(options);
  if (!isPlaceName(store)) throw new RangeError(`A store is one of ${PLACE_NAMES.join(", ")}.`);
  const places = await startPlaces(store);
  const place = await places.create();
  try {
    return await checkHistories({ ...options, open: place.open });
  } finally {
    await place.remove();
    await places.stop();
  }
}
