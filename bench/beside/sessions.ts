import { Agent } from "node:http";
import type { Script } from "../contenders/scripted-model.ts";
import { median } from "../median.ts";
import type { Comparison, Sample, Task } from "./comparison.ts";
import { BenchServer } from "./http-server.ts";
import { readTurn } from "./read-turn.ts";

const SESSIONS = 1000;
const QUICK_SESSIONS = 100;
// What an engine sets up once, for the first turns of a process, is no session's: so many are taken at once, so often, before anybody looks.
const FIRST_SESSIONS = 50;
const FIRST_ROUNDS = 3;
const SCRIPT: Script = { chunks: 50, pauseMs: 5 };

/** How many can be served at once. */
export const comparison: Comparison = {
  name: "sessions",
  title: `${SESSIONS} sessions at once over HTTP, each with one turn of ${SCRIPT.chunks} chunks, ${SCRIPT.pauseMs} ms apart.`,
  sizes: [1],
  metrics: [
    { name: "medianMs", label: "median turn, ms", better: "less" },
    { name: "slowestMs", label: "slowest turn, ms", better: "less" },
    { name: "cpuPerTurnMs", label: "server CPU of a turn, ms", better: "less" },
    { name: "kibPerSession", label: "memory of a session, KiB", better: "less" },
  ],
  repetitions: 3,
  secondsEach: 120,
  measure,
};

async function measure({ subject, isQuick }: Task): Promise<Sample> {
  const count = isQuick ? QUICK_SESSIONS : SESSIONS;
  const server = await BenchServer.start(subject.contender);
  const agent = new Agent({ keepAlive: false, maxSockets: count });
  for (let round = 1; round <= FIRST_ROUNDS; round += 1)
    await talk(server.url, agent, { name: `first-${round}`, count: FIRST_SESSIONS });
  const small = await server.costs();
  // The memory of so many is seen once; how long their turns take when all of the code they take is warm.
  await talk(server.url, agent, { name: "warm", count });
  const before = await server.costs();
  const times = await talk(server.url, agent, { name: "session", count });
  const after = await server.costs();
  await server.stop();
  return {
    medianMs: median(times),
    slowestMs: Math.max(...times),
    cpuPerTurnMs: (after.cpuMs - before.cpuMs) / count,
    kibPerSession: (before.mostRssBytes - small.rssBytes) / count / 1024,
  };
}

async function talk(
  url: string,
  agent: Agent,
  { name, count }: { readonly name: string; readonly count: number },
): Promise<readonly number[]> {
  const turns = Array.from({ length: count }, (_, index) =>
    readTurn(url, `${name}-${index}`, SCRIPT, agent),
  );
  return (await Promise.all(turns)).map(({ wholeMs }) => wholeMs);
}
