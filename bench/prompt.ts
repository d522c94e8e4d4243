import type { MessageData } from "genkit";
import { SeededRandom } from "../test/chaos/seeded-random.ts";
import type { BenchOptions, BenchResult } from "./bench-result.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { median } from "./median.ts";
import { PROMPT_CONTENDERS, type PromptContender } from "./prompt-contenders.ts";
import { randomText } from "./random-text.ts";
import { textTable } from "./text-table.ts";

type PromptRow = {
  readonly case: "prompt";
  readonly contender: string;
  /** Messages that the session holds when the turn begins. */
  readonly history: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  /** CPU by that of Genkit's own agent. */
  readonly ratioToGenkit: number;
};

// Short turns are taken often, so that all of the code they take is warm.
const HISTORIES = [
  { history: 0, turns: 300 },
  { history: 100, turns: 60 },
  { history: 1000, turns: 10 },
] as const;
// What is less cannot be told from chance.
const TOLERANCE = 0.05;
const REPETITIONS = 11;
const WARM_UPS = 10;
const MESSAGE_CHARACTERS = 200;

/** One turn of an agent that is a prompt: ours, Genkit's own, and the call of `generate` that both of them make. */
export async function run({ seed }: BenchOptions): Promise<BenchResult> {
  const random = new SeededRandom(seed);
  const rows: PromptRow[] = [];
  for (const size of HISTORIES) rows.push(...(await measure(size, random.fork())));
  return { rows, report: report(rows), broken: rows.flatMap(broken) };
}

interface Cost {
  readonly cpuMs: number;
  readonly wallMs: number;
}

// The contenders take turns, so that whatever else the machine does hits all of them.
async function measure(
  { history, turns }: (typeof HISTORIES)[number],
  random: SeededRandom,
): Promise<readonly PromptRow[]> {
  const names = Object.keys(PROMPT_CONTENDERS);
  const costs = new Map(names.map((name) => [name, [] as Cost[]]));
  const messages = sayAnything(random, history);
  const contenders = new Map<string, PromptContender>();
  for (const [name, open] of Object.entries(PROMPT_CONTENDERS)) {
    const contender = await open(messages);
    await contender.prepare(turns * (WARM_UPS + REPETITIONS));
    contenders.set(name, contender);
  }
  // Once, and not in between: a collection while no turn runs takes the compiled code along, which no server in use would see.
  collectGarbage();
  for (let repetition = -WARM_UPS; repetition < REPETITIONS; repetition += 1) {
    for (const [name, contender] of contenders) {
      const cost = await measureOnce(contender, turns);
      if (repetition >= 0) costs.get(name)?.push(cost);
    }
  }
  for (const { close } of contenders.values()) await close();
  const of = (name: string, part: keyof Cost): number =>
    median((costs.get(name) ?? []).map((cost) => cost[part]));
  return names.map((name) => ({
    case: "prompt",
    contender: name,
    history,
    cpuMs: rounded(of(name, "cpuMs")),
    wallMs: rounded(of(name, "wallMs")),
    ratioToGenkit: rounded(of(name, "cpuMs") / of("genkit", "cpuMs")),
  }));
}

async function measureOnce({ turn }: PromptContender, turns: number): Promise<Cost> {
  const begin = { cpu: process.cpuUsage(), wall: performance.now() };
  for (let index = 0; index < turns; index += 1) await turn();
  const { user, system } = process.cpuUsage(begin.cpu);
  const wallMs = performance.now() - begin.wall;
  return { cpuMs: (user + system) / 1000 / turns, wallMs: wallMs / turns };
}

function sayAnything(random: SeededRandom, count: number): MessageData[] {
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "model",
    content: [{ text: randomText(random, MESSAGE_CHARACTERS) }],
  }));
}

function broken({ contender, history, ratioToGenkit }: PromptRow): readonly string[] {
  return contender === "turnkeep" && ratioToGenkit > 1 + TOLERANCE
    ? [`${history} messages: a turn costs ${ratioToGenkit} of what it costs Genkit's own agent.`]
    : [];
}

function report(rows: readonly PromptRow[]): string {
  const columns = ["history", "cpuMs", "wallMs", "ratioToGenkit"] as const;
  const lines = rows.map((row) => [row.contender, ...columns.map((column) => `${row[column]}`)]);
  return `One turn of a prompt agent, memory stores, a model that answers at once:\n${textTable([["contender", ...columns], ...lines])}`;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
