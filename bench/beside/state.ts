import { SeededRandom } from "../../test/chaos/seeded-random.ts";
import type { LiveState } from "../contenders/contender.ts";
import { ScriptedModel } from "../contenders/scripted-model.ts";
import { median } from "../median.ts";
import { randomText } from "../random-text.ts";
import type { Comparison, Sample, Task } from "./comparison.ts";
import { countCosts } from "./costs.ts";
import { openSubject } from "./open-subject.ts";

const MOST_ENTRIES = 100;
const LEAST_ENTRY_BYTES = 200;
const CALLS = 10;

/** What a change costs that is streamed to whoever looks. */
export const comparison: Comparison = {
  name: "state",
  title: "One number changed in the custom state of a running turn, and streamed.",
  axis: "bytes of the state",
  sizes: [1000, 10_000, 50_000, 200_000, 1_000_000],
  quickSizes: [1000, 5000, 10_000, 50_000, 100_000],
  metrics: [
    { name: "wallMs", label: "time of a change, ms", better: "less" },
    { name: "cpuMs", label: "CPU of a change, ms", better: "less" },
  ],
  repetitions: 3,
  secondsEach: 60,
  measure,
};

async function measure(task: Task): Promise<Sample> {
  const { changeState, close } = await openSubject(task, new ScriptedModel());
  if (changeState === undefined) throw new Error("has no such state");
  const wall: number[] = [];
  const cpu: number[] = [];
  // Of CPU, which on a busy machine is not time.
  const [warmMs, measuredMs] = task.isQuick ? [100, 100] : [500, 400];
  const state = createState(task.size);
  const count = Object.keys(state.entries).length;
  await changeState(state, async (change) => {
    const spent = countCosts();
    let value = 0;
    do {
      const costs = countCosts();
      for (let call = 0; call < CALLS; call += 1) {
        value += 1;
        await change(`entry${value % count}`, value);
      }
      const { cpuMs, wallMs } = costs();
      if (spent().cpuMs < warmMs) continue;
      wall.push(wallMs / CALLS);
      cpu.push(cpuMs / CALLS);
    } while (spent().cpuMs < warmMs + measuredMs);
  });
  await close();
  return { wallMs: median(wall), cpuMs: median(cpu) };
}

function createState(bytes: number): LiveState {
  const random = new SeededRandom(1);
  const frame = '"entry00":{"text":"","hits":0},'.length;
  const count = Math.min(MOST_ENTRIES, Math.ceil(bytes / LEAST_ENTRY_BYTES));
  const characters = Math.round(bytes / count) - frame;
  const entries = Array.from({ length: count }, (_, index) => [
    `entry${index}`,
    { text: randomText(random, characters), hits: 0 },
  ]);
  return { entries: Object.fromEntries(entries) as LiveState["entries"] };
}
