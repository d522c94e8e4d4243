import { parseArgs } from "node:util";
import { MUTANTS } from "./mutants.ts";
import { plantMutant } from "./plant-mutant.ts";

// npm run mutants -- --runs 10000 --seeds 7,11,13 --only "epoch"
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "10000" },
    seeds: { type: "string", default: "7,11,13" },
    only: { type: "string", default: "" },
  },
});
const effort = { runs: Number(values.runs), seeds: values.seeds.split(",").map(Number) };
const chosen = MUTANTS.filter(({ name }) => name.includes(values.only));
let unexplained = 0;
for (const mutant of chosen) {
  const { caught, by } = await plantMutant(mutant, effort);
  const held =
    mutant.survivesBy === undefined ? "UNEXPLAINED" : `second guard: ${mutant.survivesBy}`;
  if (!caught && mutant.survivesBy === undefined) unexplained += 1;
  console.log(`${caught ? "caught  " : "survived"}  ${mutant.name}: ${caught ? by : held}`);
}
console.log(JSON.stringify({ mutants: chosen.length, unexplained }));
process.exitCode = unexplained === 0 ? 0 : 1;
