import { parseArgs } from "node:util";
import { chooseSeed } from "../../chaos/seeded-random.ts";
import { atLeast, atMost, type Bound, none, printBounds, round } from "./bounds.ts";
import type { Life } from "./counting-server.ts";
import { QUICK_RECOVERY, type ResumingReport, runResuming } from "./resuming.ts";
import { type Round, runSlowReaders, type SlowReadersReport } from "./slow-readers.ts";

// npm run readers -- --readers 1000 --kills 5 --seed 7
// npm run readers -- --only slow --pairs 5
const USAGE =
  "Usage: npm run readers -- [--only restless|slow] [--readers N] [--kills N] [--pairs N] [--seed S]";
const USAGE_EXIT = 2;

const MEBIBYTE = 1024 * 1024;
const CHUNKS = 400;
// Forty chunks a second, as fast as models speak: a turn takes ten seconds.
const PAUSE_MS = 100;
const READERS_PER_RUN = 20;
const RESTLESS = { seconds: 60, growth: 150, leavesPerReader: 4 };
const SILENT = { readers: 100, bytes: 200_000_000 };
const SLOW = { heldKibibytes: 256, dropSeconds: 30, growth: 64, slower: 0.05 };

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      readers: { type: "string", default: "1000" },
      kills: { type: "string", default: "5" },
      pairs: { type: "string", default: "5" },
      seed: { type: "string" },
    },
  });
  const { only } = values;
  const [readers = 0, kills = 0, pairs = 0] = [values.readers, values.kills, values.pairs].map(
    Number,
  );
  const isCount = [readers / READERS_PER_RUN, kills, pairs].every(Number.isSafeInteger);
  if (!isCount || readers < 1 || (only !== undefined && !/^(restless|slow)$/.test(only))) {
    process.stderr.write(`${USAGE}\n`);
    return USAGE_EXIT;
  }
  const bounds: Bound[] = [];
  if (only !== "slow") bounds.push(...(await restless(readers, kills, chooseSeed(values.seed))));
  if (only !== "restless") bounds.push(...(await slow(pairs)));
  return bounds.every(({ isMet }) => isMet) ? 0 : 1;
}

async function restless(readers: number, kills: number, seed: number): Promise<readonly Bound[]> {
  process.stdout.write(`seed ${seed}, server with ${JSON.stringify(QUICK_RECOVERY)}\n`);
  const runs = readers / READERS_PER_RUN;
  const report = await runResuming({
    readers,
    runs,
    chunks: CHUNKS,
    pauseMs: PAUSE_MS,
    kills,
    seed,
    isBuilt: true,
    onProgress,
  });
  const bounds = restlessBounds(report, { readers, kills });
  const { ownClients, restarts, losses } = report;
  printBounds(
    `${readers} readers, ${ownClients} of them our own client, on ${runs} runs of ${CHUNKS} chunks, which began anew ${restarts} times; ${losses} times the server was gone`,
    bounds,
  );
  return bounds;
}

function restlessBounds(
  report: ResumingReport,
  { readers, kills }: { readonly readers: number; readonly kills: number },
): readonly Bound[] {
  const worst = worstOf(report.lives);
  const memory = worst ? ` (${mebibytes(worst.beforeBytes)} to ${mebibytes(worst.peakBytes)})` : "";
  const growth = worst && (worst.peakBytes - worst.beforeBytes) / MEBIBYTE;
  return [
    atMost("time", report.seconds, RESTLESS.seconds, " s"),
    atLeast("events", report.events, readers * CHUNKS),
    atLeast("disconnects in mid-stream", report.leaves, readers * RESTLESS.leavesPerReader),
    atLeast("kills of the server", report.kills, kills),
    none("events that a reader missed", report.gaps),
    none("events that a reader saw twice", report.doubles),
    none(`readers who did not see 1 to ${CHUNKS} in order, and the end`, report.misled),
    atMost(`growth of the server's memory${memory}`, growth, RESTLESS.growth, " MiB"),
  ];
}

// Each life is another process; the one that grew most counts.
function worstOf(lives: readonly Life[]): Life | undefined {
  const growthOf = ({ beforeBytes, peakBytes }: Life): number => peakBytes - beforeBytes;
  return lives.toSorted((left, right) => growthOf(right) - growthOf(left))[0];
}

async function slow(pairs: number): Promise<readonly Bound[]> {
  const report = await runSlowReaders({ ...SILENT, pairs, isBuilt: true, onProgress });
  const bounds = slowBounds(report);
  const { readers, bytes } = SILENT;
  printBounds(`${readers} sockets that never read, turns of ${bytes / 1_000_000} MB`, bounds);
  return bounds;
}

function slowBounds({
  alone,
  beside,
  watched,
  mostHeldBytes,
}: SlowReadersReport): readonly Bound[] {
  const [own, withReaders] = [alone, beside].map((rounds) =>
    median(rounds.map(({ turnMs }) => turnMs)),
  ) as [number, number];
  const ratio = median(beside.map(({ turnMs }, pair) => turnMs / (alone[pair]?.turnMs ?? 0)));
  const [least, most] = [peakOf(alone), peakOf(beside)];
  const growth = least && most && (most - least) / MEBIBYTE;
  const memory =
    least && most ? ` (${mebibytes(least)} without them, ${mebibytes(most)} with)` : "";
  const held = Math.max(mostHeldBytes, watched.mostHeldBytes) / 1024;
  return [
    atMost("held for one of them", held, SLOW.heldKibibytes, " KiB"),
    none("not dropped", watched.open + SILENT.readers - watched.answers),
    atMost("the last one dropped after", watched.longestStallMs / 1000, SLOW.dropSeconds, " s"),
    atMost(`growth of the server's memory${memory}`, growth, SLOW.growth, " MiB"),
    atMost(
      `the turn's duration (${round(own)} ms without them, ${round(withReaders)} ms with), off by`,
      Math.abs(ratio - 1) * 100,
      SLOW.slower * 100,
      " %",
    ),
  ];
}

function peakOf(rounds: readonly Round[]): number | undefined {
  const peaks = rounds.flatMap(({ peakBytes }) => peakBytes ?? []);
  return peaks.length === 0 ? undefined : Math.max(...peaks);
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] =
    sorted.length % 2 === 1
      ? [sorted[middle], sorted[middle]]
      : [sorted[middle - 1], sorted[middle]];
  return (low + high) / 2;
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}

function onProgress(text: string): void {
  process.stderr.write(`${round(performance.now() / 1000)} s: ${text}\n`);
}
