import { parseArgs } from "node:util";
import { chooseSeed } from "../test/chaos/seeded-random.ts";
import type { RunBench } from "./bench-result.ts";
import { asBench } from "./beside/as-bench.ts";

const BENCHMARKS: Readonly<Record<string, () => Promise<{ readonly run: RunBench }>>> = {
  growth: () => import("./growth.ts"),
  polls: () => import("./polls.ts"),
  prompt: async () => asBench("prompt"),
  scale: () => import("./scale.ts"),
  sessions: async () => asBench("sessions"),
  stores: async () => asBench("storage"),
  stream: async () => asBench("stream"),
  turn: () => import("./turn.ts"),
};

const USAGE_EXIT = 2;

// Users run what was built; what a loader makes of the source is slower.
const MEASURED = import.meta.resolve("turnkeep").includes("/dist/")
  ? "the built package"
  : "the source";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, seed: { type: "string" } },
});
process.exitCode = await runNamed(positionals[0] ?? "");

async function runNamed(name: string): Promise<number> {
  const load = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
  if (load === undefined) {
    console.error(
      `There is no benchmark "${name}". Known ones: ${Object.keys(BENCHMARKS).join(", ")}.`,
    );
    return USAGE_EXIT;
  }
  const seed = chooseSeed(values.seed);
  const { run } = await load();
  const { rows, report, broken } = await run({ seed });
  console.log(`${name} of ${MEASURED}, seed ${seed}, Node ${process.version}\n\n${report}`);
  for (const sentence of broken) console.error(sentence);
  if (values.json) console.log(JSON.stringify({ rows }));
  return broken.length === 0 ? 0 : 1;
}
