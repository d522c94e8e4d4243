import { expect, it } from "vitest";
import { startProcess } from "../../agent/life/start-process.ts";
import { databaseFile } from "../../agent/life/stores.ts";
import { until } from "../../agent/life/waiting.ts";
import { chooseSeed, SeededRandom } from "../../chaos/seeded-random.ts";
import { requestInit, run } from "../serving.ts";
import type { CountingOrder } from "./counting-server-process.ts";
import { RestlessReader } from "./restless-reader.ts";

const CLIENTS = Number(process.env["TURNKEEP_READERS"] ?? 100);
const RUNS = Math.max(5, CLIENTS / 20);
const CHUNKS = 400;
const SEED = chooseSeed(process.env["TURNKEEP_SEED"]);

it(
  `${CLIENTS} readers that come and go see each event once, though the server is killed (seed ${SEED})`,
  { timeout: 300_000 },
  async () => {
    const random = new SeededRandom(SEED);
    const order: CountingOrder = {
      database: databaseFile(),
      port: 0,
      leaseMs: 1000,
      chunks: CHUNKS,
    };
    const first = await start(order);
    const url = `http://127.0.0.1:${first.port}/agents/counter/runs`;
    const runs: string[] = [];
    for (let number = 0; number < RUNS; number += 1) {
      const response = await fetch(url, requestInit({ body: run("count") }));
      expect(response.status).toBe(202);
      runs.push(((await response.json()) as { runId: string }).runId);
    }
    const readers = Array.from(
      { length: CLIENTS },
      (_, index) => new RestlessReader(`${url}/${runs[index % RUNS]}/events`, random.fork()),
    );
    const readings = readers.map(async (reader, index) => ({
      ...(await reader.read()),
      run: index % RUNS,
    }));
    const seen = (): number => readers.reduce((sum, { count }) => sum + count, 0);
    await until(() => seen() > CLIENTS * 100, { withinMs: 60_000 });
    first.process.kill("SIGKILL");
    await first.process.ended;
    await start({ ...order, port: first.port });
    const all = await Promise.all(readings);
    const longest = runs.map((_, index) =>
      Math.max(...all.filter(({ run }) => run === index).map(({ seqs }) => seqs.length)),
    );
    for (const { seqs, run: index, result } of all) {
      expect(seqs).toEqual(Array.from({ length: longest[index] ?? 0 }, (_, at) => at + 1));
      expect(result).toMatchObject({ finishReason: "stop" });
    }
    expect(Math.min(...longest)).toBeGreaterThanOrEqual(CHUNKS + 2);
    // Some of them began again, which is an event too.
    expect(Math.max(...longest)).toBeGreaterThan(CHUNKS + 2);
    expect(all.reduce((sum, { breaks }) => sum + breaks, 0)).toBeGreaterThan(CLIENTS * 4);
  },
);

async function start(
  order: CountingOrder,
): Promise<{ readonly port: number; readonly process: ReturnType<typeof startProcess> }> {
  const process = startProcess("../../http/readers/counting-server-process.ts", order);
  await process.said("ready");
  return { port: Number(process.lines[0]), process };
}
