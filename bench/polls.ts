import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchResult, BenchRow, RunBench } from "./bench-result.ts";
import { median } from "./median.ts";
import { textTable } from "./text-table.ts";

const TURNS = 300;
const POLLS = 100;
const MAX_POLLS = 20;
const READS = 300;
const WARM_UP = 50;
const MAX_RATIO = 3;
const WAIT_MS = 30_000;

interface Started {
  readonly url: string;
  readonly snapshotId: string;
}

/** Reads of one principal, alone and while another keeps as many long polls open on a long session as the server lets it. */
export const run: RunBench = async () => {
  const rows = [await measure("memory"), await measure("sqlite")];
  return { rows, report: reportOf(rows), broken: rows.flatMap(brokenBy) };
};

type Row = BenchRow & {
  readonly store: string;
  readonly quietMs: number;
  readonly pollingMs: number;
  readonly ratio: number;
  readonly refused: number;
};

async function measure(store: "memory" | "sqlite"): Promise<Row> {
  const folder = await mkdtemp(join(tmpdir(), "turnkeep-polls-"));
  const file = store === "memory" ? null : join(folder, "sessions.db");
  const settings = JSON.stringify({ file, turns: TURNS });
  const server = fork(new URL("./polls-process.mjs", import.meta.url), [settings]);
  const polling = new Agent({ keepAlive: true });
  const reading = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const { url, snapshotId } = await startOf(server);
    const read = `${url}/agents/slow/sessions/short`;
    await readTimes(read, reading, WARM_UP);
    const quiet = await readTimes(read, reading, READS);
    const poll = `${url}/agents/slow/snapshots/${encodeURIComponent(snapshotId)}?wait=${WAIT_MS}`;
    const refused = await openPolls(poll, polling);
    const loud = await readTimes(read, reading, READS);
    const [quietMs, pollingMs] = [median(quiet), median(loud)];
    return { store, quietMs, pollingMs, ratio: pollingMs / quietMs, refused };
  } finally {
    polling.destroy();
    reading.destroy();
    server.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
}

async function startOf(server: ChildProcess): Promise<Started> {
  const [started] = await Promise.race([
    once(server, "message"),
    once(server, "exit").then(() => {
      throw new Error("The server ended before it listened.");
    }),
  ]);
  return started as Started;
}

async function readTimes(url: string, agent: Agent, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let read = 0; read < count; read += 1) {
    const begin = performance.now();
    const status = await statusOf(url, "other", agent);
    if (status !== 200) throw new Error(`A read was answered with ${status}.`);
    times.push(performance.now() - begin);
  }
  return times;
}

/** Opens all of them and resolves with how many were refused, once the others are all that is left. */
async function openPolls(url: string, agent: Agent): Promise<number> {
  let refused = 0;
  await new Promise<void>((resolve, reject) => {
    const poll = async (): Promise<void> => {
      const status = await statusOf(url, "busy", agent);
      refused += 1;
      if (status !== 429) reject(new Error(`A poll was answered with ${status}.`));
      if (refused === POLLS - MAX_POLLS) resolve();
    };
    for (let number = 0; number < POLLS; number += 1) poll().catch(ignore);
  });
  return refused;
}

function statusOf(url: string, who: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { "x-who": who } }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
    });
    request.once("error", reject);
  });
}

// Polls are cut off when everything was measured.
function ignore(): void {}

function reportOf(rows: readonly Row[]): string {
  const title = `A session of ${TURNS} turns, ${POLLS} long polls of one principal; medians of ${READS} reads of another`;
  const heading = ["store", "quiet ms", "polling ms", "ratio", "refused"];
  const lines = rows.map(({ store, quietMs, pollingMs, ratio, refused }) => [
    store,
    quietMs.toFixed(2),
    pollingMs.toFixed(2),
    ratio.toFixed(2),
    String(refused),
  ]);
  return `${title}\n\n${textTable([heading, ...lines])}`;
}

function brokenBy({ store, ratio }: Row): BenchResult["broken"] {
  if (ratio <= MAX_RATIO) return [];
  return [`${store}: reads take ${ratio.toFixed(2)} times as long, more than ${MAX_RATIO}.`];
}
