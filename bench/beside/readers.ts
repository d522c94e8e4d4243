import { Agent, get } from "node:http";
import type { Script } from "../contenders/scripted-model.ts";
import type { Comparison, Sample, Task } from "./comparison.ts";
import { EndWatch } from "./end-watch.ts";
import { BenchServer } from "./http-server.ts";

const CHUNKS = 200;
const PAUSE_MS = 5;

/** Whether one more who looks on costs more than the one before. */
export const comparison: Comparison = {
  name: "readers",
  title: `One run of ${CHUNKS} chunks, ${PAUSE_MS} ms apart, read by many over HTTP.`,
  axis: "readers",
  sizes: [1, 10, 30, 100, 300, 1000],
  quickSizes: [1, 3, 10, 30, 100],
  metrics: [
    { name: "cpuPerReaderMs", label: "server CPU of a reader, ms", better: "less" },
    { name: "lateMs", label: "last reader done after the turn's own time, ms", better: "less" },
  ],
  repetitions: 3,
  subjects: [{ contender: "turnkeep", store: "memory" }],
  secondsEach: 60,
  measure,
};

async function measure({ subject, size }: Task): Promise<Sample> {
  const server = await BenchServer.start(subject.contender);
  // Once to get warm.
  await readBy(server, Math.min(size, 10));
  const sample = await readBy(server, size);
  await server.stop();
  return sample;
}

async function readBy(server: BenchServer, count: number): Promise<Sample> {
  const text = JSON.stringify({ chunks: CHUNKS, pauseMs: PAUSE_MS } satisfies Script);
  const begin = performance.now();
  const answer = await fetch(`${server.url}/runs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ input: { message: { role: "user", content: [{ text }] } } }),
  });
  const { runId } = (await answer.json()) as { runId: string };
  const before = await server.costs();
  const agent = new Agent({ maxSockets: count });
  const url = `${server.url}/runs/${runId}/events`;
  await Promise.all(Array.from({ length: count }, () => readAll(url, agent)));
  const wholeMs = performance.now() - begin;
  const after = await server.costs();
  return {
    cpuPerReaderMs: (after.cpuMs - before.cpuMs) / count,
    lateMs: wholeMs - CHUNKS * PAUSE_MS,
  };
}

async function readAll(url: string, agent: Agent): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const request = get(url, { agent, headers: { accept: "text/event-stream" } }, (response) => {
      const end = new EndWatch("event: result");
      response.on("data", (piece: Buffer) => end.look(piece));
      response.on("end", () => {
        if (end.isSeen) resolve();
        else reject(new Error(`A reader was cut off (${response.statusCode}).`));
      });
    });
    request.on("error", reject);
  });
}
