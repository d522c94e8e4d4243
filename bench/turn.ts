import { type LocalAgent, type Message, type SessionStore, defineCustomAgent } from "turnkeep";
import { SeededRandom } from "../test/chaos/seeded-random.ts";
import type { BenchOptions, BenchResult } from "./bench-result.ts";
import { BENCH_STORES, type BenchStoreName } from "./growth-stores.ts";
import { median } from "./median.ts";
import { randomText } from "./random-text.ts";
import { textTable } from "./text-table.ts";
import { measureUpdates, type UpdateRow } from "./turn-updates.ts";

type TurnRow = {
  readonly case: "turn";
  readonly store: BenchStoreName;
  /** Messages that the session holds when the turn begins, give or take those of the turns before it here. */
  readonly history: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  /** CPU by that of a session's first turn. */
  readonly ratioToEmpty: number;
};

// A turn of an empty session is its first one, so each has a session of its own.
const HISTORIES = [
  { history: 0, turns: 1 },
  { history: 100, turns: 5 },
  { history: 1000, turns: 20 },
] as const;
// SQLite waits for the disk in every turn.
const EFFORT: Readonly<Record<BenchStoreName, Effort>> = {
  memory: { turns: 200, repetitions: 15, warmUps: 15 },
  sqlite: { turns: 40, repetitions: 3, warmUps: 1 },
};
// With its frame of JSON a message has about 250 bytes.
const MESSAGE_CHARACTERS = 200;

const RATIO_BUDGET = 1.5;

/** What the runtime itself costs: one trivial turn by the length of the history, and one change in a large state. */
export async function run({ seed }: BenchOptions): Promise<BenchResult> {
  const random = new SeededRandom(seed);
  const turns: TurnRow[] = [];
  for (const store of Object.keys(BENCH_STORES) as BenchStoreName[]) {
    turns.push(...(await measureStore(store, random.fork())));
  }
  const updates = await measureUpdates(random.fork());
  return {
    rows: [...turns, ...updates],
    report: `${turnTable(turns)}\n\n${updateTable(updates)}`,
    broken: [...turns.flatMap(brokenRatio), ...updates.flatMap(brokenUpdate)],
  };
}

interface Effort {
  /** Turns of one repetition. */
  readonly turns: number;
  readonly repetitions: number;
  readonly warmUps: number;
}

interface Cost {
  readonly cpuMs: number;
  readonly wallMs: number;
}

// The lengths take turns, so that whatever else the machine does hits all of them.
async function measureStore(
  store: BenchStoreName,
  random: SeededRandom,
): Promise<readonly TurnRow[]> {
  const costs = HISTORIES.map((): Cost[] => []);
  const { repetitions, warmUps } = EFFORT[store];
  for (let repetition = -warmUps; repetition < repetitions; repetition += 1) {
    for (const [index, size] of HISTORIES.entries()) {
      const cost = await measureOnce(store, size, random.fork());
      if (repetition >= 0) costs[index]?.push(cost);
    }
  }
  const cpuOf = (index: number): number => median((costs[index] ?? []).map(({ cpuMs }) => cpuMs));
  return HISTORIES.map(({ history }, index) => ({
    case: "turn",
    store,
    history,
    cpuMs: rounded(cpuOf(index)),
    wallMs: rounded(median((costs[index] ?? []).map(({ wallMs }) => wallMs))),
    ratioToEmpty: rounded(cpuOf(index) / cpuOf(0)),
  }));
}

async function measureOnce(
  name: BenchStoreName,
  { history, turns }: (typeof HISTORIES)[number],
  random: SeededRandom,
): Promise<Cost> {
  const { store, remove } = await BENCH_STORES[name]();
  const agent = defineEcho(store);
  const count = EFFORT[name].turns;
  const names = Array.from({ length: count / turns }, (_, index) => `session-${index}`);
  const inputs = Array.from({ length: turns }, () => randomText(random, MESSAGE_CHARACTERS));
  if (history > 0) await seedSessions(agent, names, sayAnything(random, history));
  const begin = { cpu: process.cpuUsage(), wall: performance.now() };
  for (const sessionId of names) {
    for (const input of inputs) await agent.runText(input, { sessionId });
  }
  const { user, system } = process.cpuUsage(begin.cpu);
  const wallMs = performance.now() - begin.wall;
  await checkLength(agent, names, history + 2 * turns);
  await agent.startWorker().stop();
  await remove();
  return { cpuMs: (user + system) / 1000 / count, wallMs: wallMs / count };
}

/** Says what it heard: one chunk, one message. */
function defineEcho(store: SessionStore): LocalAgent {
  return defineCustomAgent({ name: "echo", store }, async ({ session, respond }) => {
    await session.run(({ message }) => {
      const text = `re: ${message?.content[0]?.text ?? ""}`;
      respond.text(text);
      session.addMessages({ role: "model", content: [{ text }] });
      return { finishReason: "stop" };
    });
    return session.result();
  });
}

/** Sessions of one history. Each was read once, like one that somebody talks in. */
async function seedSessions(
  agent: LocalAgent,
  names: readonly string[],
  messages: Message[],
): Promise<void> {
  const { snapshotId = "" } = await agent.runText("seed", { sessionId: "seed" });
  for (const sessionId of names) {
    await agent.fork(snapshotId, { sessionId, state: { messages } });
    await agent.getLatestSnapshot(sessionId);
  }
}

function sayAnything(random: SeededRandom, count: number): Message[] {
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "model",
    content: [{ text: randomText(random, MESSAGE_CHARACTERS) }],
  }));
}

async function checkLength(
  agent: LocalAgent,
  names: readonly string[],
  expected: number,
): Promise<void> {
  for (const name of names) {
    const { state } = await agent.getLatestSnapshot(name);
    const length = state?.messages?.length;
    if (length !== expected) throw new Error(`${name} holds ${length} messages, not ${expected}.`);
  }
}

function brokenRatio({ store, history, ratioToEmpty }: TurnRow): readonly string[] {
  return store === "memory" && ratioToEmpty > RATIO_BUDGET
    ? [`${store}, ${history} messages: ratioToEmpty ${ratioToEmpty} is over ${RATIO_BUDGET}.`]
    : [];
}

function brokenUpdate({ shape, patch, ms, budgetMs }: UpdateRow): readonly string[] {
  return budgetMs !== null && ms > budgetMs
    ? [`updateCustom, ${shape}, patch ${patch}: ${ms} ms is over ${budgetMs} ms.`]
    : [];
}

function turnTable(rows: readonly TurnRow[]): string {
  const columns = ["history", "cpuMs", "wallMs", "ratioToEmpty"] as const;
  const lines = rows.map((row) => [row.store, ...columns.map((column) => `${row[column]}`)]);
  return `One turn of an agent that echoes:\n${textTable([["store", ...columns], ...lines])}`;
}

function updateTable(rows: readonly UpdateRow[]): string {
  const lines = rows.map(({ shape, patch, stateBytes, ms }) => [
    shape,
    patch,
    `${stateBytes}`,
    `${ms}`,
  ]);
  return `updateCustom of one field:\n${textTable([["shape", "patch", "stateBytes", "ms"], ...lines])}`;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
