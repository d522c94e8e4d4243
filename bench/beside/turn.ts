import { SeededRandom } from "../../test/chaos/seeded-random.ts";
import type { OpenContender } from "../contenders/contender.ts";
import { ScriptedModel } from "../contenders/scripted-model.ts";
import { randomText } from "../random-text.ts";
import type { Comparison, Sample, Task } from "./comparison.ts";
import { type Costs, countCosts } from "./costs.ts";
import { openSubject } from "./open-subject.ts";

// With its frame of JSON a message has about 250 bytes.
const MESSAGE_CHARACTERS = 200;
// CPU of turns, which on a busy machine is not time: everybody gets as warm as a server that has run for a while, first with new sessions and then with such
// as are measured, since code that was compiled for the one is not for the other. `mostMs` counts what it takes to make sessions ready, too.
const EFFORT: Readonly<Record<"warm" | "settle" | "measured", Effort>> = {
  warm: { turnsMs: 800, mostMs: 800 },
  settle: { turnsMs: 1200, mostMs: 3000 },
  measured: { turnsMs: 400, mostMs: 1500 },
};
const QUICK_EFFORT: Effort = { turnsMs: 50, mostMs: 50 };
const LONGEST_BATCH_MS = 400;

/** What the runtime itself costs. */
export const comparison: Comparison = {
  name: "turn",
  title: "One turn with a model that answers at once, sessions in memory, by what was said before.",
  axis: "messages before",
  sizes: [0, 10, 100, 1000, 3000, 10_000],
  quickSizes: [0, 10, 30, 100, 300, 1000],
  metrics: [
    { name: "cpuMs", label: "CPU of a turn, ms", better: "less" },
    { name: "wallMs", label: "time of a turn, ms", better: "less" },
  ],
  repetitions: 2,
  secondsEach: 30,
  measure,
};

async function measure(task: Task): Promise<Sample> {
  const random = new SeededRandom(1);
  const model = new ScriptedModel();
  model.reply = randomText(random, MESSAGE_CHARACTERS);
  const text = randomText(random, MESSAGE_CHARACTERS);
  const history = Array.from({ length: task.size }, () => randomText(random, MESSAGE_CHARACTERS));
  const opened = await openSubject(task, model);
  let sessions = 0;
  const takeBatch = (before: readonly string[]): Promise<Batch> => {
    const { count, turns } = batchFor(before.length);
    const names = Array.from({ length: count }, () => `session-${sessions++}`);
    return measureBatch(opened, { names, turns, text, history: before });
  };
  const effort = (part: keyof typeof EFFORT): Effort =>
    task.isQuick ? QUICK_EFFORT : EFFORT[part];
  await batchesFor(effort("warm"), () => takeBatch([]));
  await batchesFor(effort("settle"), () => takeBatch(history));
  const batches = await batchesFor(effort("measured"), () => takeBatch(history));
  const turns = sum(batches.map((batch) => batch.turns));
  await opened.close();
  return {
    cpuMs: sum(batches.map(({ cpuMs }) => cpuMs)) / turns,
    wallMs: sum(batches.map(({ wallMs }) => wallMs)) / turns,
  };
}

type Batch = Costs & { readonly turns: number };

interface Effort {
  readonly turnsMs: number;
  readonly mostMs: number;
}

// A turn of an empty session is its first one, so each has a session of its own; long ones are dear to begin, and hardly longer after a few turns.
function batchFor(history: number): { readonly count: number; readonly turns: number } {
  if (history === 0) return { count: 50, turns: 1 };
  return history <= 100 ? { count: 4, turns: 5 } : { count: 1, turns: 20 };
}

async function measureBatch(
  { turn, seed, resume }: OpenContender,
  {
    names,
    turns,
    text,
    history,
  }: {
    readonly names: readonly string[];
    readonly turns: number;
    readonly text: string;
    readonly history: readonly string[];
  },
): Promise<Batch> {
  if (history.length > 0) for (const name of names) await seed(name, history);
  const costs = countCosts();
  const taken: number[] = [];
  for (const name of names) {
    let count = 0;
    do {
      await turn(name, text);
      count += 1;
      // Whoever is this slow is measured by fewer.
    } while (count < turns && costs().cpuMs < LONGEST_BATCH_MS);
    taken.push(count);
  }
  const { cpuMs, wallMs } = costs();
  const length = await resume(names[0] ?? "");
  const expected = history.length + 2 * (taken[0] ?? 0);
  if (length !== expected) throw new Error(`It holds ${length} messages, not ${expected}.`);
  return { cpuMs, wallMs, turns: sum(taken) };
}

async function batchesFor(effort: Effort, take: () => Promise<Batch>): Promise<readonly Batch[]> {
  const batches: Batch[] = [];
  const costs = countCosts();
  let turnsMs = 0;
  do {
    const batch = await take();
    turnsMs += batch.cpuMs;
    batches.push(batch);
  } while (turnsMs < effort.turnsMs && costs().cpuMs < effort.mostMs);
  return batches;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
