import { ScriptedModel } from "../contenders/scripted-model.ts";
import type { Comparison, Sample, Task } from "./comparison.ts";
import { countCosts } from "./costs.ts";
import { openSubject } from "./open-subject.ts";

const TURNS = 200;
const AT_ONCE = 64;

/** Whether those who say nothing cost anything. */
export const comparison: Comparison = {
  name: "crowd",
  title: "The first turn of a session, by how many other sessions the store holds.",
  axis: "other sessions",
  sizes: [100, 1000, 10_000, 30_000, 100_000],
  quickSizes: [10, 30, 100, 300, 1000],
  metrics: [
    { name: "cpuMs", label: "CPU of a turn, ms", better: "less" },
    { name: "wallMs", label: "time of a turn, ms", better: "less" },
  ],
  repetitions: 1,
  subjects: [
    ...["floor", "turnkeep", "genkit"].map((contender) => ({
      contender,
      store: "memory",
    })),
    { contender: "turnkeep", store: "sqlite" },
  ],
  secondsEach: 150,
  measure,
};

async function measure(task: Task): Promise<Sample> {
  const opened = await openSubject(task, new ScriptedModel());
  const talkTo = (name: string): Promise<void> => opened.turn(name, "hello");
  for (let others = 0; others < task.size; others += AT_ONCE) {
    const count = Math.min(AT_ONCE, task.size - others);
    await Promise.all(Array.from({ length: count }, (_, index) => talkTo(`o-${others + index}`)));
  }
  const turns = task.isQuick ? 20 : TURNS;
  for (let turn = 0; turn < turns; turn += 1) await talkTo(`warm-${turn}`);
  const costs = countCosts();
  for (let turn = 0; turn < turns; turn += 1) await talkTo(`session-${turn}`);
  const { cpuMs, wallMs } = costs();
  await opened.close();
  return { cpuMs: cpuMs / turns, wallMs: wallMs / turns };
}
