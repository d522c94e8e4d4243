import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { SeededRandom } from "../../test/chaos/seeded-random.ts";
import type { OpenContender } from "../contenders/contender.ts";
import { ScriptedModel } from "../contenders/scripted-model.ts";
import { median } from "../median.ts";
import { bytesOf, sayAnything } from "../say-anything.ts";
import type { Comparison, Sample, Subject, Task } from "./comparison.ts";
import { type Costs, countCosts } from "./costs.ts";
import { measureApart } from "./measure-apart.ts";
import { openSubject } from "./open-subject.ts";

const LAST_TURNS = 10;
const TURNS_A_DAY = 100;
const WARM_UP_CPU_MS = 1000;
const RESUME_SECONDS = 60;

/** Who keeps sessions beyond the process, and where. */
const KEEPERS: readonly Subject[] = [
  { contender: "floor", store: "lines" },
  ...["sqlite", "file", "postgres", "redis"].map((store) => ({ contender: "turnkeep", store })),
  { contender: "genkit", store: "file" },
  { contender: "langgraph", store: "sqlite" },
  { contender: "langgraph", store: "postgres" },
  { contender: "mastra", store: "libsql" },
  { contender: "openai-agents", store: "memory" },
  { contender: "ai-sdk", store: "memory" },
];

/** What a talk takes up, what it costs to keep on, and to come back to. */
export const comparison: Comparison = {
  name: "storage",
  title: "One talk of turns of 2 KB, kept on disk or on a server, and swept as a day's work.",
  axis: "turns",
  sizes: [10, 30, 100, 300, 1000],
  quickSizes: [5, 10, 15, 20, 30],
  metrics: [
    { name: "bytesRatio", label: "bytes kept by bytes said", better: "less" },
    { name: "turnMs", label: "time of a turn, ms", better: "less" },
    { name: "cpuMs", label: "CPU of a turn, ms", better: "less" },
    { name: "coldMs", label: "first load in a new process, ms", better: "less" },
    { name: "warmMs", label: "later loads, ms", better: "less" },
  ],
  repetitions: 3,
  subjects: KEEPERS,
  services: ["postgres", "redis"],
  secondsEach: 75,
  measure,
};

async function measure(task: Task): Promise<Sample> {
  const model = new ScriptedModel();
  await warmUp(task, model);
  const opened = await openSubject(task, model);
  if (opened.storedBytes === undefined) throw new Error("keeps nothing");
  const { costs, messageBytes } = await talk(opened, model, task);
  const bytes = await opened.storedBytes();
  await opened.close();
  const last = costs.slice(-LAST_TURNS);
  return {
    bytesRatio: bytes / messageBytes,
    turnMs: median(last.map(({ wallMs }) => wallMs)),
    cpuMs: median(last.map(({ cpuMs }) => cpuMs)),
    ...(await measureApart("resume", task, RESUME_SECONDS)),
  };
}

// Somewhere else, so that none of it counts: else the first turns would be dear because their code is cold.
async function warmUp(task: Task, model: ScriptedModel): Promise<void> {
  // Not a name that begins like the other: what is kept under it must not be counted.
  const folder = mkdtempSync(join(dirname(task.folder), "turnkeep-warm-"));
  const { turn, close } = await openSubject({ ...task, folder }, model);
  const costs = countCosts();
  const most = task.isQuick ? 0 : WARM_UP_CPU_MS;
  for (let turns = 0; costs().cpuMs < most; turns += 1) {
    await turn(`warm-${Math.floor(turns / 10)}`, "hello");
  }
  await close();
  rmSync(folder, { recursive: true, force: true });
}

async function talk(
  { turn, storedBytes }: OpenContender,
  model: ScriptedModel,
  { size }: Task,
): Promise<{ readonly costs: readonly Costs[]; readonly messageBytes: number }> {
  const random = new SeededRandom(1);
  const all: Costs[] = [];
  let messageBytes = 0;
  while (all.length < size) {
    const { user, model: answer } = sayAnything(random);
    messageBytes += bytesOf(user) + bytesOf(answer);
    model.reply = answer.content[0]?.text ?? "";
    const costs = countCosts();
    await turn("conversation", user.content[0]?.text ?? "");
    all.push(costs());
    // A day's talk is swept before the next one is over.
    if (all.length % TURNS_A_DAY === 0) await storedBytes?.();
  }
  return { costs: all, messageBytes };
}
