import { Agent } from "node:http";
import type { BenchResult } from "./bench-result.ts";
import { HTTP_CONTENDERS, type Script } from "./http-contenders.ts";
import { BenchServer } from "./http-server.ts";
import { median } from "./median.ts";
import { readTurn } from "./read-turn.ts";
import { textTable } from "./text-table.ts";

type SessionsRow = {
  readonly case: "sessions";
  readonly contender: string;
  readonly sessions: number;
  readonly medianMs: number;
  readonly slowestMs: number;
  readonly cpuPerTurnMs: number;
  readonly bytesPerSession: number;
  /** The median turn by that of the bare server. */
  readonly ratioToBare: number;
};

const SESSIONS = 1000;
const SCRIPT: Script = { chunks: 50, pauseMs: 5 };
const REPETITIONS = 3;
const RATIO_BUDGET = 1.5;
const BYTES_BUDGET = 64 * 1024;

/** A thousand sessions at once, each with one turn of fifty chunks, five milliseconds apart. */
export async function run(): Promise<BenchResult> {
  const names = Object.keys(HTTP_CONTENDERS);
  const measured = new Map<string, Measured[]>();
  for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
    for (const name of names) {
      // A process of its own each time, so that memory is that of these sessions.
      const one = await measure(name);
      measured.set(name, [...(measured.get(name) ?? []), one]);
    }
  }
  const bare = middle(measured.get("bare") ?? [], "medianMs");
  const rows = names.map((contender): SessionsRow => {
    const all = measured.get(contender) ?? [];
    const medianMs = rounded(middle(all, "medianMs"));
    return {
      case: "sessions",
      contender,
      sessions: SESSIONS,
      medianMs,
      slowestMs: rounded(middle(all, "slowestMs")),
      cpuPerTurnMs: rounded(middle(all, "cpuPerTurnMs")),
      bytesPerSession: Math.round(middle(all, "bytesPerSession")),
      ratioToBare: rounded(medianMs / bare),
    };
  });
  return { rows, report: report(rows), broken: rows.flatMap(broken) };
}

interface Measured {
  readonly medianMs: number;
  readonly slowestMs: number;
  readonly cpuPerTurnMs: number;
  readonly bytesPerSession: number;
}

async function measure(contender: string): Promise<Measured> {
  const server = await BenchServer.start(contender);
  const agent = new Agent({ keepAlive: false, maxSockets: SESSIONS });
  await talk(server.url, agent, "first", 50);
  const small = await server.costs();
  // The memory of so many is seen once; how long their turns take when all of the code they take is warm.
  await talk(server.url, agent, "warm", SESSIONS);
  const before = await server.costs();
  const times = await talk(server.url, agent, "session", SESSIONS);
  const after = await server.costs();
  await server.stop();
  return {
    medianMs: median(times),
    slowestMs: Math.max(...times),
    cpuPerTurnMs: (after.cpuMs - before.cpuMs) / SESSIONS,
    bytesPerSession: (before.mostRssBytes - small.rssBytes) / SESSIONS,
  };
}

async function talk(
  url: string,
  agent: Agent,
  name: string,
  count: number,
): Promise<readonly number[]> {
  const turns = Array.from({ length: count }, (_, index) =>
    readTurn(url, `${name}-${index}`, SCRIPT, agent),
  );
  return (await Promise.all(turns)).map(({ wholeMs }) => wholeMs);
}

function middle(all: readonly Measured[], part: keyof Measured): number {
  return median(all.map((one) => one[part]));
}

function broken({ contender, ratioToBare, bytesPerSession }: SessionsRow): readonly string[] {
  if (contender !== "turnkeep") return [];
  return [
    ...(ratioToBare > RATIO_BUDGET
      ? [`The median turn takes ${ratioToBare} of the bare server's, over ${RATIO_BUDGET}.`]
      : []),
    ...(bytesPerSession > BYTES_BUDGET
      ? [`A session takes ${bytesPerSession} bytes of memory, over ${BYTES_BUDGET}.`]
      : []),
  ];
}

function report(rows: readonly SessionsRow[]): string {
  const columns = [
    "medianMs",
    "slowestMs",
    "cpuPerTurnMs",
    "bytesPerSession",
    "ratioToBare",
  ] as const;
  const lines = rows.map((row) => [row.contender, ...columns.map((column) => `${row[column]}`)]);
  return `${SESSIONS} sessions at once, one turn of ${SCRIPT.chunks} chunks each, memory stores:\n${textTable([["contender", ...columns], ...lines])}`;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
