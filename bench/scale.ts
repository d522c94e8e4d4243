import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { SeededRandom } from "../test/chaos/seeded-random.ts";
import { percentile } from "../test/chaos/take-overs.ts";
import { CrashableServer } from "../test/support/crashable-server.ts";
import type { Place } from "../test/support/places/place.ts";
import { PLACE_NAMES, type PlaceName, PLACES } from "../test/support/places/places.ts";
import type { BenchOptions, BenchResult } from "./bench-result.ts";
import { median } from "./median.ts";
import { randomText } from "./random-text.ts";
import { connectionsTo, cpuMsOf } from "./server-costs.ts";
import { placeBytes } from "./stored-bytes.ts";
import { textTable } from "./text-table.ts";

type ScaleRow = {
  readonly case: "scale";
  readonly store: PlaceName;
  readonly processes: number;
  /** Turns under way at once, in each process. */
  readonly concurrency: number;
  readonly turnsPerSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number | null;
  /** CPU of one turn: of our processes, and of the server's. */
  readonly ourCpuMs: number;
  readonly serverCpuMs: number | null;
  /** Cores that were busy with it. */
  readonly ourCores: number;
  readonly serverCores: number | null;
  readonly connections: number | null;
  /** With its events, which are swept a day later. */
  readonly bytesPerTurn: number;
};

const LOADS = [
  ...[1, 4, 16, 64].map((concurrency) => ({ processes: 1, concurrency })),
  ...[2, 4].map((processes) => ({ processes, concurrency: 16 })),
];
const PLANNED = 16;
const WARM_UP_MS = 1500;
const MEASURED_MS = 4000;

/** Turns of 2 KB, as many at once as named, on every store: how many a second, and whose CPU they take. */
export async function run({ seed }: BenchOptions): Promise<BenchResult> {
  const random = new SeededRandom(seed);
  const said = { user: randomText(random, 500), model: randomText(random, 1440) };
  const rows: ScaleRow[] = [];
  for (const store of PLACE_NAMES) rows.push(...(await measureStore(store, said)));
  return { rows, report: `${tableOf(rows)}\n\n${planOf(rows)}`, broken: [] };
}

async function measureStore(store: PlaceName, said: Load["said"]): Promise<readonly ScaleRow[]> {
  const { service, create } = PLACES[store];
  // A server that writes to disk what it acknowledges.
  const server = service && (await CrashableServer.start(service));
  const rows: ScaleRow[] = [];
  const loads = LOADS.filter(({ processes }) => store !== "memory" || processes === 1);
  for (const load of loads) {
    console.error(`${store}, ${load.processes} × ${load.concurrency} …`);
    const place = await create(server?.url ?? "");
    const measured = await measure(place, server, { ...load, said });
    rows.push({ case: "scale", store, ...load, ...measured });
    await place.remove();
  }
  await server?.stop();
  return rows;
}

interface Load {
  readonly processes: number;
  readonly concurrency: number;
  readonly said: { readonly user: string; readonly model: string };
}

type Measured = Omit<ScaleRow, "case" | "store" | "processes" | "concurrency">;

async function measure(
  place: Place,
  server: CrashableServer | undefined,
  { processes, ...task }: Load,
): Promise<Measured> {
  const settings = place.settings ?? null;
  // Made by one, or all would make it at once.
  await (await place.open()).close();
  const talkers = await Promise.all(
    Array.from({ length: processes }, (_, index) =>
      Talker.start({ settings, name: `process-${index}`, ...task }),
    ),
  );
  await costsOf(talkers, WARM_UP_MS);
  const serverBefore = server ? cpuMsOf(server.pid) : 0;
  const { seconds, cpuMs, times } = await costsOf(talkers, MEASURED_MS);
  const serverCpuMs = server ? cpuMsOf(server.pid) - serverBefore : null;
  const connections = server ? await connectionsTo(server.url) : null;
  const ends = await Promise.all(talkers.map((talker) => talker.stop()));
  const stored = ends[0]?.bytes ?? (await bytesIn(place));
  return {
    turnsPerSecond: rounded(times.length / seconds),
    medianMs: rounded(median(times)),
    p99Ms: percentile(times, 0.99),
    ourCpuMs: rounded(cpuMs / times.length),
    serverCpuMs: serverCpuMs && rounded(serverCpuMs / times.length),
    ourCores: rounded(cpuMs / 1000 / seconds),
    serverCores: serverCpuMs && rounded(serverCpuMs / 1000 / seconds),
    connections,
    bytesPerTurn: Math.round(stored / ends.reduce((sum, { turns }) => sum + turns, 0)),
  };
}

interface Costs {
  readonly seconds: number;
  readonly cpuMs: number;
  readonly times: readonly number[];
}

/** A process that takes turns until it is stopped. */
class Talker {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(task: object): Promise<Talker> {
    const file = new URL("scale-process.mjs", import.meta.url);
    const child = fork(file, [JSON.stringify(task)], { stdio: "inherit", execArgv: [] });
    await once(child, "message");
    return new Talker(child);
  }

  /** Since it was asked last. */
  async costs(): Promise<Costs> {
    this.#child.send("costs");
    const [costs] = (await once(this.#child, "message")) as [Costs];
    return costs;
  }

  async stop(): Promise<{ readonly turns: number; readonly bytes: number | null }> {
    const exited = once(this.#child, "exit");
    this.#child.send("stop");
    const [end] = (await once(this.#child, "message")) as [{ turns: number; bytes: number | null }];
    await exited;
    return end;
  }
}

/** Of all of them together, while the time passes. */
async function costsOf(talkers: readonly Talker[], milliseconds: number): Promise<Costs> {
  const ask = (): Promise<Costs[]> => Promise.all(talkers.map((talker) => talker.costs()));
  await ask();
  await setTimeout(milliseconds);
  const all = await ask();
  return {
    seconds: Math.max(...all.map(({ seconds }) => seconds)),
    cpuMs: all.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    times: all.flatMap(({ times }) => times).toSorted((one, other) => one - other),
  };
}

async function bytesIn(place: Place): Promise<number> {
  const store = await place.open();
  const bytes = await placeBytes(place, store);
  await store.close();
  return bytes;
}

function tableOf(rows: readonly ScaleRow[]): string {
  const columns = [
    "processes",
    "concurrency",
    "turnsPerSecond",
    "medianMs",
    "p99Ms",
    "ourCpuMs",
    "serverCpuMs",
    "ourCores",
    "serverCores",
    "connections",
    "bytesPerTurn",
  ] as const;
  const lines = rows.map((row) => [row.store, ...columns.map((column) => `${row[column] ?? "-"}`)]);
  return `Turns of 2 KB, sessions of 20 turns:\n${textTable([["store", ...columns], ...lines])}`;
}

/** What to plan with: how far one core goes, and a million turns. */
function planOf(rows: readonly ScaleRow[]): string {
  const columns = ["turnsPerOurCore", "turnsPerServerCore", "ourCoresToOneOfIts", "gibPerMillion"];
  const typical = rows.filter((row) => row.processes === 1 && row.concurrency === PLANNED);
  const lines = typical.map(({ store, ourCpuMs, serverCpuMs, bytesPerTurn }) => [
    store,
    `${Math.round(1000 / ourCpuMs)}`,
    serverCpuMs === null ? "-" : `${Math.round(1000 / serverCpuMs)}`,
    serverCpuMs === null ? "-" : `${rounded(ourCpuMs / serverCpuMs)}`,
    `${rounded((bytesPerTurn * 1e6) / 2 ** 30)}`,
  ]);
  const title = `Turns a second by CPU alone, at ${PLANNED} at once, and storage before sweeping:`;
  return `${title}\n${textTable([["store", ...columns], ...lines])}`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
