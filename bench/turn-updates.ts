import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { Session } from "../src/agent/session.ts";
import type { SeededRandom } from "../test/chaos/seeded-random.ts";
import { median } from "./median.ts";
import { randomText } from "./random-text.ts";

export type UpdateRow = {
  readonly case: "updateCustom";
  readonly shape: string;
  /** Whether each change was streamed to clients. */
  readonly patch: "streamed" | "none";
  readonly stateBytes: number;
  /** Of one call. */
  readonly ms: number;
  /** What it may be; `null` where nothing is promised. */
  readonly budgetMs: number | null;
};

const BUDGET_MS = 0.1;

interface Entry {
  text: string;
  hits: number;
}

interface Shape {
  readonly name: string;
  readonly isBudgeted: boolean;
  readonly create: (random: SeededRandom) => State;
  readonly change: (draft: State, value: number) => void;
}

/** Entries in a list, in an object, or in objects of an object; the others are empty. */
interface State {
  readonly list: Entry[];
  readonly flat: Record<string, Entry>;
  readonly nested: Record<string, Record<string, Entry>>;
}

const ENTRIES = 2000;
const GROUP = 50;
const ENTRY_CHARACTERS = 480;
const LARGE = { entries: 100, characters: 10_000 };
const EMPTY: State = { list: [], flat: {}, nested: {} };
const WARM_UPS = 20;
const BATCHES = 40;
const CALLS = 25;

const SHAPES: readonly Shape[] = [
  {
    name: "flat",
    isBudgeted: true,
    create: (random) => ({ ...EMPTY, flat: byName(entries(random, LARGE)) }),
    change: ({ flat }, value) => touch(flat[`entry${value % LARGE.entries}`], value),
  },
  {
    name: "nested",
    isBudgeted: true,
    create: (random) => ({ ...EMPTY, nested: inGroups(entries(random)) }),
    change: ({ nested }, value) =>
      touch(nested[`group${value % (ENTRIES / GROUP)}`]?.[`entry${value % GROUP}`], value),
  },
  {
    name: "list",
    isBudgeted: true,
    create: (random) => ({ ...EMPTY, list: entries(random) }),
    change: ({ list }, value) => touch(list[value % ENTRIES], value),
  },
  {
    // Only to copy an object of so many members takes longer than the budget.
    name: "wide",
    isBudgeted: false,
    create: (random) => ({ ...EMPTY, flat: byName(entries(random)) }),
    change: ({ flat }, value) => touch(flat[`entry${value % ENTRIES}`], value),
  },
];

/** What one change in a state of a megabyte costs, with and without the patch that clients are sent. */
export async function measureUpdates(random: SeededRandom): Promise<readonly UpdateRow[]> {
  const rows: UpdateRow[] = [];
  for (const shape of SHAPES) {
    const state = shape.create(random);
    const stateBytes = Buffer.byteLength(JSON.stringify(state));
    const about = { case: "updateCustom", shape: shape.name, stateBytes } as const;
    const budgetMs = shape.isBudgeted ? BUDGET_MS : null;
    rows.push({ ...about, patch: "none", ms: timeWithout(shape, state), budgetMs });
    rows.push({ ...about, patch: "streamed", ms: await timeWithin(shape, state), budgetMs });
  }
  return rows;
}

function timeWithout(shape: Shape, state: State): number {
  const session = new Session<State>("bench");
  session.setCustom(state);
  return timeCalls(shape, session);
}

/** In a turn, where every change is also sent to clients and written to the log. */
async function timeWithin(shape: Shape, state: State): Promise<number> {
  let ms = Number.NaN;
  const agent = defineCustomAgent<State>(
    { name: "bench", store: new MemoryStore() },
    async ({ session }) => {
      await session.run(() => {
        // The first patch of a turn is the whole state; it is not what is measured.
        session.setCustom(state);
        ms = timeCalls(shape, session);
      });
    },
  );
  await agent.runText("change it");
  await agent.startWorker().stop();
  return ms;
}

function timeCalls(shape: Shape, session: Pick<Session<State>, "updateCustom">): number {
  const times: number[] = [];
  let value = 0;
  for (let batch = -WARM_UPS; batch < BATCHES; batch += 1) {
    const begin = performance.now();
    for (let call = 0; call < CALLS; call += 1) {
      value += 1;
      session.updateCustom((draft) => shape.change(draft, value));
    }
    if (batch >= 0) times.push((performance.now() - begin) / CALLS);
  }
  return Math.round(median(times) * 10_000) / 10_000;
}

function touch(entry: Entry | undefined, value: number): void {
  if (entry === undefined) throw new Error("There is no such entry.");
  entry.hits = value;
}

function entries(
  random: SeededRandom,
  size = { entries: ENTRIES, characters: ENTRY_CHARACTERS },
): Entry[] {
  return Array.from({ length: size.entries }, () => ({
    text: randomText(random, size.characters),
    hits: 0,
  }));
}

function byName(list: readonly Entry[]): Record<string, Entry> {
  return Object.fromEntries(list.map((entry, index) => [`entry${index}`, entry]));
}

function inGroups(list: readonly Entry[]): Record<string, Record<string, Entry>> {
  return Object.fromEntries(
    Array.from({ length: ENTRIES / GROUP }, (_, group) => [
      `group${group}`,
      byName(list.slice(group * GROUP, (group + 1) * GROUP)),
    ]),
  );
}
