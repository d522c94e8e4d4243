import { fork } from "node:child_process";
import { once } from "node:events";
import type { Comparison, Sample, Task } from "./comparison.ts";
import { openWorker } from "./takeover-worker.ts";

/** How long the work of a dead process lies there. */
export const comparison: Comparison = {
  name: "takeover",
  title:
    "A process killed with -9 in the middle of a turn, on SQLite, until another one works on it.",
  axis: "lease, ms",
  sizes: [1000, 5000, 15_000],
  quickSizes: [1000],
  metrics: [
    { name: "takeoverMs", label: "until another works on it, ms", better: "less" },
    { name: "beyondMs", label: "beyond the lease, ms", better: "less" },
  ],
  repetitions: 3,
  secondsEach: 60,
  measure,
};

async function measure({ folder, size: leaseMs }: Task): Promise<Sample> {
  const place = { folder, leaseMs };
  const doomed = fork(new URL("takeover-process.ts", import.meta.url), [JSON.stringify(place)]);
  await once(doomed, "message");
  // A worker alone does not keep a process alive.
  const alive = setInterval(() => {}, leaseMs);
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const agent = await openWorker(place, async () => begin());
  const worker = agent.startWorker();
  const killed = performance.now();
  doomed.kill("SIGKILL");
  await begun;
  const takeoverMs = performance.now() - killed;
  clearInterval(alive);
  await worker.stop();
  await agent.close();
  return { takeoverMs, beyondMs: takeoverMs - leaseMs };
}
