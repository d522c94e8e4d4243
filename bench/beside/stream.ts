import { median } from "../median.ts";
import type { Comparison, Sample, Task } from "./comparison.ts";
import { BenchServer } from "./http-server.ts";
import { readTurn } from "./read-turn.ts";

const CHUNKS = 10_000;
const QUICK_CHUNKS = 1000;
const WARM_UPS = 3;
const TURNS = 3;

/** How fast an answer comes out of a server. */
export const comparison: Comparison = {
  name: "stream",
  title: `One turn of ${CHUNKS} small chunks over HTTP, sessions in memory.`,
  sizes: [1],
  metrics: [
    { name: "chunksPerSecond", label: "chunks a second", better: "more" },
    { name: "cpuPerChunkUs", label: "server CPU of a chunk, µs", better: "less" },
    { name: "firstChunkMs", label: "first chunk after, ms", better: "less" },
    { name: "bytesPerChunk", label: "bytes of a chunk", better: "less" },
  ],
  repetitions: 3,
  secondsEach: 60,
  measure,
};

async function measure({ subject, isQuick }: Task): Promise<Sample> {
  const server = await BenchServer.start(subject.contender);
  const chunks = isQuick ? QUICK_CHUNKS : CHUNKS;
  const measured: Sample[] = [];
  for (let turn = -WARM_UPS; turn < TURNS; turn += 1) {
    const sample = await measureTurn(server, `session-${turn}`, chunks);
    if (turn >= 0) measured.push(sample);
  }
  await server.stop();
  const names = Object.keys(measured[0] ?? {});
  const middle = (name: string): number => median(measured.map((one) => one[name] ?? Number.NaN));
  return Object.fromEntries(names.map((name) => [name, middle(name)]));
}

async function measureTurn(
  server: BenchServer,
  sessionId: string,
  chunks: number,
): Promise<Sample> {
  const before = await server.costs();
  const script = { chunks, pauseMs: 0 };
  const { firstMs, wholeMs, bytes } = await readTurn(server.url, sessionId, script);
  const after = await server.costs();
  return {
    chunksPerSecond: chunks / (wholeMs / 1000),
    cpuPerChunkUs: ((after.cpuMs - before.cpuMs) * 1000) / chunks,
    firstChunkMs: firstMs,
    bytesPerChunk: bytes / chunks,
  };
}
