import { startServices } from "../test/support/services-start.ts";
import { PLACE_NAMES, PLACES } from "../test/support/places/places.ts";
import { SeededRandom } from "../test/chaos/seeded-random.ts";
import type { BenchOptions, BenchResult } from "./bench-result.ts";
import { bytesOf, sayAnything } from "./say-anything.ts";
import { median } from "./median.ts";
import { openTalk } from "./our-talks.ts";
import {
  loadSavers,
  openGenkitFiles,
  openLanggraphPostgres,
  openLanggraphSqlite,
} from "./peer-talks.ts";
import type { StoreContender, StoredTalk } from "./store-contenders.ts";
import { textTable } from "./text-table.ts";

type StoreRow = {
  readonly store: string;
  readonly turns: number;
  /** Of one of the last ten turns, from the input to the answer that it is kept. */
  readonly turnMs: number;
  /** Of the whole conversation, by somebody who knows nothing of it yet. */
  readonly resumeMs: number;
  /** Bytes of the store by bytes of the messages in it. */
  readonly bytesRatio: number;
};

const SIZES = [10, 100, 1000];
const RESUMES = 7;
const LAST_TURNS = 10;
const BYTES_BUDGET = { ratio: 1.5, fromTurns: 1000 };
// A peer that keeps every turn whole would be at it for hours.
const LONGEST_TALK_MS = 180_000;

/** Turns of 2 KB and resuming on every store, beside the stores of Genkit and LangGraph. */
export async function run({ seed }: BenchOptions): Promise<BenchResult> {
  const services = await startServices(["postgres", "redis"]);
  const missing = services.missing.map(({ name, reason }) => `No ${name}: ${reason}`);
  try {
    const urls = { postgres: services.running.postgres?.url, redis: services.running.redis?.url };
    const peers = await peerContenders(urls.postgres);
    const remarks = [...missing, ...peers.remarks];
    const rows: StoreRow[] = [];
    for (const contender of [...ourContenders(urls), ...peers.contenders]) {
      console.error(`${contender.name} …`);
      const measured = await measure(contender, new SeededRandom(seed));
      rows.push(...measured.rows);
      remarks.push(...measured.remarks);
    }
    const broken = rows.flatMap(brokenBudget);
    return { rows, report: [tableOf(rows), ...remarks].join("\n"), broken };
  } finally {
    await services.stop();
  }
}

type Urls = Readonly<Record<"postgres" | "redis", string | undefined>>;

function ourContenders(urls: Urls): readonly StoreContender[] {
  return PLACE_NAMES.flatMap((name) => {
    const { service, create } = PLACES[name];
    const url = service === undefined ? "" : urls[service];
    if (url === undefined) return [];
    const open = async (): Promise<StoredTalk> => await openTalk(await create(url));
    return [{ name: `turnkeep ${name}`, isOurs: true, open }];
  });
}

async function peerContenders(postgresUrl: string | undefined): Promise<{
  readonly contenders: readonly StoreContender[];
  readonly remarks: readonly string[];
}> {
  const genkit = { name: "genkit file", isOurs: false, open: openGenkitFiles };
  try {
    const savers = await loadSavers();
    const sqlite = (): Promise<StoredTalk> => openLanggraphSqlite(savers);
    const contenders = [genkit, { name: "langgraph sqlite", isOurs: false, open: sqlite }];
    if (postgresUrl === undefined) return { contenders, remarks: [] };
    const open = (): Promise<StoredTalk> => openLanggraphPostgres(savers, postgresUrl);
    return {
      contenders: [...contenders, { name: "langgraph postgres", isOurs: false, open }],
      remarks: [],
    };
  } catch (error) {
    const [reason] = String(error).split("\n");
    return {
      contenders: [genkit],
      remarks: [`NOT MEASURED: LangGraph, for want of it: ${reason}`],
    };
  }
}

async function measure(
  { name, isOurs, open }: StoreContender,
  random: SeededRandom,
): Promise<{ readonly rows: readonly StoreRow[]; readonly remarks: readonly string[] }> {
  let talk: StoredTalk | undefined;
  const rows: StoreRow[] = [];
  const turnTimes: number[] = [];
  const begunAt = performance.now();
  const isTooLong = (): boolean => !isOurs && performance.now() - begunAt > LONGEST_TALK_MS;
  let messageBytes = 0;
  try {
    talk = await open();
    for (const turns of SIZES) {
      while (turnTimes.length < turns && !isTooLong()) {
        const said = sayAnything(random);
        messageBytes += bytesOf(said.user) + bytesOf(said.model);
        const { take } = talk;
        turnTimes.push(await timed(() => take(said)));
      }
      if (turnTimes.length < turns) {
        return { rows, remarks: [`${name} gave up at turn ${turnTimes.length}.`] };
      }
      rows.push({
        store: name,
        turns,
        turnMs: rounded(median(turnTimes.slice(-LAST_TURNS))),
        resumeMs: rounded(await resumeTime(talk, 2 * turns)),
        bytesRatio: rounded((await talk.storedBytes()) / messageBytes),
      });
    }
    return { rows, remarks: [] };
  } catch (error) {
    if (isOurs) throw error;
    return { rows, remarks: [`NOT MEASURED: ${name}: ${String(error).split("\n")[0]}`] };
  } finally {
    await talk?.remove();
  }
}

async function resumeTime({ resume }: StoredTalk, messages: number): Promise<number> {
  const times: number[] = [];
  for (let repetition = 0; repetition < RESUMES; repetition += 1) {
    let found = 0;
    times.push(await timed(async () => void (found = await resume())));
    if (found !== messages) throw new Error(`Resumed with ${found} messages, not ${messages}.`);
  }
  return median(times);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

function brokenBudget({ store, turns, bytesRatio }: StoreRow): readonly string[] {
  const isHeldToIt = store.startsWith("turnkeep") && turns >= BYTES_BUDGET.fromTurns;
  if (!isHeldToIt || bytesRatio <= BYTES_BUDGET.ratio) return [];
  return [`${store}, ${turns} turns: bytesRatio ${bytesRatio} is over ${BYTES_BUDGET.ratio}.`];
}

function tableOf(rows: readonly StoreRow[]): string {
  const columns = ["turns", "turnMs", "resumeMs", "bytesRatio"] as const;
  const lines = rows.map((row) => [row.store, ...columns.map((column) => `${row[column]}`)]);
  return textTable([["store", ...columns], ...lines]);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
