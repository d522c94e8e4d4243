import { SeededRandom } from "../../test/chaos/seeded-random.ts";
import type { OpenContender } from "../contenders/contender.ts";
import { ScriptedModel } from "../contenders/scripted-model.ts";
import { randomText } from "../random-text.ts";
import type { Comparison, Sample, Task } from "./comparison.ts";
import { type Costs, countCosts } from "./costs.ts";
import { openSubject } from "./open-subject.ts";

// With its frame of JSON a message has about 250 bytes.
const MESSAGE_CHARACTERS = 200;
// Everybody gets as warm as a server that has run for a while, first with new sessions and then with such as are measured, since code that was compiled for
// the one is not for the other. All take as many turns, so that whoever is quick does not carry more sessions; who is slow takes fewer.
const EFFORT: Readonly<Record<"warm" | "settle" | "measured", Effort>> = {
  warm: { turns: 10_000, mostMs: 4000 },
  settle: { turns: 3000, mostMs: 2500 },
  measured: { turns: 3000, mostMs: 2500 },
};
const QUICK_EFFORT: Effort = { turns: 50, mostMs: 50 };

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
  repetitions: 3,
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
  const effort = (part: keyof typeof EFFORT): Effort =>
    task.isQuick ? QUICK_EFFORT : EFFORT[part];
  await takeTurns(
    opened,
    await prepare(opened, { name: "warm", effort: effort("warm"), history: [] }),
    text,
  );
  // All others are ready before the first of them is talked in, so that none pays for what making others left behind.
  const settle = await prepare(opened, { name: "settle", effort: effort("settle"), history });
  const measured = await prepare(opened, { name: "measured", effort: effort("measured"), history });
  await takeTurns(opened, settle, text);
  const { turns, cpuMs, wallMs } = await takeTurns(opened, measured, text);
  await opened.close();
  return { cpuMs: cpuMs / turns, wallMs: wallMs / turns };
}

interface Effort {
  readonly turns: number;
  readonly mostMs: number;
}

/** Sessions that are ready, and how many turns each is to have. */
interface Plan {
  readonly names: readonly string[];
  readonly turnsEach: number;
  readonly history: number;
  readonly mostMs: number;
}

interface Preparation {
  readonly name: string;
  readonly effort: Effort;
  readonly history: readonly string[];
}

// A turn of an empty session is its first one; others are talked in until they are a fifth longer.
async function prepare(
  { seed }: OpenContender,
  { name, effort, history }: Preparation,
): Promise<Plan> {
  const turnsEach = Math.max(1, Math.floor(history.length / 10));
  const names: string[] = [];
  const end = performance.now() + effort.mostMs;
  do {
    const next = `${name}-${names.length}`;
    if (history.length > 0) await seed(next, history);
    names.push(next);
  } while (names.length * turnsEach < effort.turns && performance.now() < end);
  return { names, turnsEach, history: history.length, mostMs: effort.mostMs };
}

async function takeTurns(
  { turn, resume }: OpenContender,
  { names, turnsEach, history, mostMs }: Plan,
  text: string,
): Promise<Costs & { readonly turns: number }> {
  const end = performance.now() + mostMs;
  const costs = countCosts();
  let turns = 0;
  do {
    await turn(names[Math.floor(turns / turnsEach)] ?? "", text);
    turns += 1;
  } while (turns < names.length * turnsEach && performance.now() < end);
  const { cpuMs, wallMs } = costs();
  const length = await resume(names[0] ?? "");
  const expected = history + 2 * Math.min(turns, turnsEach);
  if (length !== expected) throw new Error(`It holds ${length} messages, not ${expected}.`);
  return { cpuMs, wallMs, turns };
}
