import type { BenchResult } from "./bench-result.ts";
import { HTTP_CONTENDERS } from "./http-contenders.ts";
import { BenchServer } from "./http-server.ts";
import { median } from "./median.ts";
import { readTurn } from "./read-turn.ts";
import { textTable } from "./text-table.ts";

type StreamRow = {
  readonly case: "stream";
  readonly contender: string;
  readonly chunksPerSecond: number;
  readonly cpuPerChunkUs: number;
  readonly firstChunkMs: number;
  readonly bytesPerChunk: number;
  /** Chunks a second by those of the bare server. */
  readonly ratioToBare: number;
};

const CHUNKS = 10_000;
const REPETITIONS = 7;
const WARM_UPS = 3;
const RATIO_BUDGET = 0.7;

/** One turn of many small chunks over HTTP: ours, a bare server that writes the same frames, and Genkit's express handler. */
export async function run(): Promise<BenchResult> {
  const measured = new Map<string, Measured[]>();
  const names = Object.keys(HTTP_CONTENDERS);
  const servers = new Map<string, BenchServer>();
  for (const name of names) servers.set(name, await BenchServer.start(name));
  // They take turns, so that whatever else the machine does hits all of them.
  for (let repetition = -WARM_UPS; repetition < REPETITIONS; repetition += 1) {
    for (const [name, server] of servers) {
      const one = await measure(server, `${repetition}`);
      if (repetition >= 0) measured.set(name, [...(measured.get(name) ?? []), one]);
    }
  }
  for (const server of servers.values()) await server.stop();
  const bare = middle(measured.get("bare") ?? [], "chunksPerSecond");
  const rows = names.map((contender): StreamRow => {
    const all = measured.get(contender) ?? [];
    const chunksPerSecond = Math.round(middle(all, "chunksPerSecond"));
    return {
      case: "stream",
      contender,
      chunksPerSecond,
      cpuPerChunkUs: rounded(middle(all, "cpuPerChunkUs")),
      firstChunkMs: rounded(middle(all, "firstChunkMs")),
      bytesPerChunk: Math.round(middle(all, "bytesPerChunk")),
      ratioToBare: rounded(chunksPerSecond / bare),
    };
  });
  return { rows, report: report(rows), broken: rows.flatMap(broken) };
}

interface Measured {
  readonly chunksPerSecond: number;
  readonly cpuPerChunkUs: number;
  readonly firstChunkMs: number;
  readonly bytesPerChunk: number;
}

async function measure(server: BenchServer, sessionId: string): Promise<Measured> {
  const before = await server.costs();
  const { firstMs, wholeMs, bytes } = await readTurn(server.url, sessionId, {
    chunks: CHUNKS,
    pauseMs: 0,
  });
  const after = await server.costs();
  return {
    chunksPerSecond: CHUNKS / (wholeMs / 1000),
    cpuPerChunkUs: ((after.cpuMs - before.cpuMs) * 1000) / CHUNKS,
    firstChunkMs: firstMs,
    bytesPerChunk: bytes / CHUNKS,
  };
}

function middle(all: readonly Measured[], part: keyof Measured): number {
  return median(all.map((one) => one[part]));
}

function broken({ contender, ratioToBare }: StreamRow): readonly string[] {
  return contender === "turnkeep" && ratioToBare < RATIO_BUDGET
    ? [`${ratioToBare} of the bare server's chunks a second is under ${RATIO_BUDGET}.`]
    : [];
}

function report(rows: readonly StreamRow[]): string {
  const columns = [
    "chunksPerSecond",
    "cpuPerChunkUs",
    "firstChunkMs",
    "bytesPerChunk",
    "ratioToBare",
  ] as const;
  const lines = rows.map((row) => [row.contender, ...columns.map((column) => `${row[column]}`)]);
  return `One turn of ${CHUNKS} chunks over HTTP, memory stores:\n${textTable([["contender", ...columns], ...lines])}`;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
