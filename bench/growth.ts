import { Ledger, sweepDue } from "../src/ledger/index.ts";
import { SeededRandom } from "../test/chaos/seeded-random.ts";
import type { BenchOptions, BenchResult } from "./bench-result.ts";
import { type CustomPatchRow, measureCustomPatches } from "./custom-patches.ts";
import { GrowingConversation, type TurnCost } from "./growing-conversation.ts";
import { BENCH_STORES, type BenchStore, type BenchStoreName } from "./growth-stores.ts";
import { loadTimes } from "./load-times.ts";
import { median } from "./median.ts";
import { bytesOf, sayAnything } from "./say-anything.ts";
import { textTable } from "./text-table.ts";

type GrowthRow = {
  readonly store: BenchStoreName;
  readonly turns: number;
  /** Bytes of the store by bytes of the messages in it. */
  readonly bytesRatio: number;
  /** The same without what the empty store takes up. */
  readonly grownRatio: number;
  /** CPU of the last ten saves by that of the saves 10 to 20; `null` in a conversation too short to tell. */
  readonly saveRatio: number | null;
  /** The same of whole turns. */
  readonly turnRatio: number | null;
  /** CPU of one of the last ten saves. */
  readonly saveMs: number;
  readonly loadMs: number;
  readonly parseMs: number;
  readonly loadRatio: number;
};

// Short conversations are cheap to repeat; on SQLite every turn waits for the disk three times.
const SIZES = [
  { turns: 10, repetitions: { memory: 25, sqlite: 9 } },
  { turns: 100, repetitions: { memory: 25, sqlite: 9 } },
  { turns: 1000, repetitions: { memory: 9, sqlite: 5 } },
] as const;
const WARM_UP_TURNS = 300;
const PAST_RETENTION_MS = 48 * 3_600_000;

const BYTES_BUDGET = { ratio: 1.5, fromTurns: 100 };
const SAVE_BUDGET = 1.5;

/** How storage, saving and loading grow with the length of a conversation whose turns have 2 KB each. */
export async function run({ seed }: BenchOptions): Promise<BenchResult> {
  const random = new SeededRandom(seed);
  const rows: GrowthRow[] = [];
  const patches: CustomPatchRow[] = [];
  for (const store of Object.keys(BENCH_STORES) as BenchStoreName[]) {
    await measureOnce(store, WARM_UP_TURNS, random.fork());
    for (const size of SIZES) rows.push(await measure(store, size, random.fork()));
    patches.push(await measureCustomPatches(store, random.fork()));
  }
  const report = `${growthTable(rows)}\n\n${patchTable(patches)}`;
  return { rows: [...rows, ...patches], report, broken: rows.flatMap(brokenBudgets) };
}

async function measure(
  store: BenchStoreName,
  { turns, repetitions }: (typeof SIZES)[number],
  random: SeededRandom,
): Promise<GrowthRow> {
  const runs: Measured[] = [];
  for (let repetition = 0; repetition < repetitions[store]; repetition += 1) {
    runs.push(await measureOnce(store, turns, random.fork()));
  }
  const loadMs = median(runs.map((one) => one.loadMs));
  const parseMs = median(runs.map((one) => one.parseMs));
  return {
    store,
    turns,
    bytesRatio: rounded(median(runs.map((one) => one.bytesRatio))),
    grownRatio: rounded(median(runs.map((one) => one.grownRatio))),
    saveRatio: growthOf(runs, (cost) => cost.save),
    turnRatio: growthOf(runs, (cost) => cost.turn),
    saveMs: rounded(
      median(runs.map(({ costs }) => sum(costs.slice(-10).map((cost) => cost.save)) / 10_000)),
    ),
    loadMs: rounded(loadMs),
    parseMs: rounded(parseMs),
    loadRatio: rounded(loadMs / parseMs),
  };
}

interface Measured {
  readonly costs: readonly TurnCost[];
  readonly bytesRatio: number;
  readonly grownRatio: number;
  readonly loadMs: number;
  readonly parseMs: number;
}

async function measureOnce(
  name: BenchStoreName,
  turns: number,
  random: SeededRandom,
): Promise<Measured> {
  const opened = await BENCH_STORES[name]();
  const ledger = new Ledger({ store: opened.store });
  const emptyBytes = await sweptBytes(ledger, opened);
  const conversation = new GrowingConversation(ledger);
  const costs: TurnCost[] = [];
  let messageBytes = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    const said = sayAnything(random);
    messageBytes += bytesOf(said.user) + bytesOf(said.model);
    costs.push(await conversation.take(said));
  }
  const bytes = await sweptBytes(ledger, opened);
  const times = await loadTimes(opened, conversation.key);
  await opened.remove();
  return {
    costs,
    bytesRatio: bytes / messageBytes,
    grownRatio: (bytes - emptyBytes) / messageBytes,
    ...times,
  };
}

/** What is left when nobody can need the events any more. Sweeping also folds SQLite's log back into the file. */
async function sweptBytes(ledger: Ledger, { advance, storedBytes }: BenchStore): Promise<number> {
  advance(PAST_RETENTION_MS);
  await sweepDue(ledger);
  return storedBytes();
}

function growthOf(runs: readonly Measured[], costOf: (cost: TurnCost) => number): number | null {
  const ratios = runs.flatMap(({ costs }) => {
    const early = costs.slice(10, 20).map(costOf);
    const late = costs.slice(-10).map(costOf);
    return costs.length > 20 ? [sum(late) / sum(early)] : [];
  });
  return ratios.length === 0 ? null : rounded(median(ratios));
}

function brokenBudgets({ store, turns, bytesRatio, saveRatio }: GrowthRow): readonly string[] {
  const broken: string[] = [];
  if (turns >= BYTES_BUDGET.fromTurns && bytesRatio > BYTES_BUDGET.ratio) {
    broken.push(
      `${store}, ${turns} turns: bytesRatio ${bytesRatio} is over ${BYTES_BUDGET.ratio}.`,
    );
  }
  if (saveRatio !== null && saveRatio > SAVE_BUDGET) {
    broken.push(`${store}, ${turns} turns: saveRatio ${saveRatio} is over ${SAVE_BUDGET}.`);
  }
  return broken;
}

function growthTable(rows: readonly GrowthRow[]): string {
  const columns = [
    "turns",
    "bytesRatio",
    "grownRatio",
    "saveRatio",
    "turnRatio",
    "saveMs",
    "loadMs",
    "parseMs",
    "loadRatio",
  ] as const;
  const lines = rows.map((row) => [row.store, ...columns.map((column) => `${row[column] ?? "–"}`)]);
  return textTable([["store", ...columns], ...lines]);
}

function patchTable(rows: readonly CustomPatchRow[]): string {
  const columns = [
    "turns",
    "stateBytes",
    "bytesWritten",
    "storedBytes",
    "loadRows",
    "loadMs",
  ] as const;
  const lines = rows.map((row) => [row.store, ...columns.map((column) => `${row[column]}`)]);
  return `One field of a custom state patched each turn:\n${textTable([["store", ...columns], ...lines])}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
