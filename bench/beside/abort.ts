import { setTimeout } from "node:timers/promises";
import { ScriptedModel } from "../contenders/scripted-model.ts";
import { median } from "../median.ts";
import type { Comparison, Sample, Task } from "./comparison.ts";
import { openSubject } from "./open-subject.ts";

const ROUNDS = 10;
const LONGEST_STOP_MS = 500;
const SCRIPT = JSON.stringify({ chunks: 1000, pauseMs: 20 });

/** How long it takes until a turn that nobody wants any more is over. */
export const comparison: Comparison = {
  name: "abort",
  title: "A turn aborted while its model speaks, sessions in memory.",
  sizes: [1],
  metrics: [
    { name: "endedMs", label: "until the turn is over, ms", better: "less" },
    { name: "stoppedMs", label: "until the model is told, ms", better: "less" },
  ],
  repetitions: 3,
  secondsEach: 60,
  measure,
};

async function measure(task: Task): Promise<Sample> {
  const model = new ScriptedModel();
  const { begin, close } = await openSubject(task, model);
  if (begin === undefined) throw new Error("cannot be aborted");
  const stopped: number[] = [];
  const ended: number[] = [];
  for (let round = 0; round < (task.isQuick ? 3 : ROUNDS); round += 1) {
    const speaking = model.spoken;
    const turn = begin(`session-${round}`, SCRIPT);
    while (model.spoken < speaking + 3) await setTimeout(1);
    const start = performance.now();
    await turn.abort();
    await turn.ended;
    ended.push(performance.now() - start);
    while (model.stoppedAt < start && performance.now() - start < LONGEST_STOP_MS) {
      await setTimeout(1);
    }
    if (model.stoppedAt > start) stopped.push(model.stoppedAt - start);
  }
  await close();
  // Some never tell it: the turn is over, and the model speaks on.
  return { endedMs: median(ended), ...(stopped.length > 0 && { stoppedMs: median(stopped) }) };
}
