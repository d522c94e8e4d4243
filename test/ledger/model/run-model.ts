import { parseArgs } from "node:util";
import { checkHistories } from "./check-histories.ts";

// npm run model -- --runs 1000000 --seed 7; a failing history is replayed with the seed and path it prints.
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "100000" },
    seed: { type: "string" },
    path: { type: "string" },
  },
});
const seed = values.seed === undefined ? Date.now() | 0 : Number(values.seed);
console.log(`seed ${seed}`);
const report = await checkHistories({
  runs: Number(values.runs),
  seed,
  ...(values.path !== undefined && { path: values.path }),
});
console.log(JSON.stringify({ seed, ...report }));
