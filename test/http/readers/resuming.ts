import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SeededRandom } from "../../chaos/seeded-random.ts";
import { CountingServer, type Life } from "./counting-server.ts";
import { type Flaws, flawsOf, type Reader } from "./reading.ts";
import { RestlessClient } from "./restless-client.ts";
import { RestlessReader } from "./restless-reader.ts";

export interface ResumingOptions {
  readonly readers: number;
  readonly runs: number;
  readonly chunks: number;
  /** Between four chunks of a run and the next four. */
  readonly pauseMs: number;
  readonly kills: number;
  readonly seed: number;
  /** The chunk at which runs wait to be killed, in all lives of the server but the last; they do not, unless told. */
  readonly holdAt?: number;
  /** Whether the server is the built package. */
  readonly isBuilt: boolean;
  readonly onProgress?: (text: string) => void;
}

export interface ResumingReport extends Flaws {
  /** From the first input to the last reader's last event. */
  readonly seconds: number;
  readonly events: number;
  /** In mid-stream, by the readers themselves. */
  readonly leaves: number;
  /** Connections that the server broke or did not take. */
  readonly losses: number;
  readonly kills: number;
  /** How often a run began anew, since its process was killed. */
  readonly restarts: number;
  readonly runs: number;
  readonly ownClients: number;
  /** The memory of the server's lives; none where the system does not tell. */
  readonly lives: readonly Life[];
}

/** What somebody chooses who wants the turns of a killed server to go on soon, and all of them at once. */
export const QUICK_RECOVERY = {
  leaseMs: 3000,
  attempts: 10,
  worker: { slots: 64, scanMs: 250 },
};

// Of this many readers of a run one is our own client.
const READERS_PER_CLIENT = 10;
// So many events each reader has seen of a life of the server, on average, when that ends.
const EVENTS_PER_LIFE = [20, 60] as const;

/** Readers that come and go, on runs whose server is killed: what each of them saw. */
export async function runResuming(options: ResumingOptions): Promise<ResumingReport> {
  const { chunks, pauseMs, holdAt, kills, isBuilt } = options;
  const directory = mkdtempSync(join(tmpdir(), "turnkeep-readers-"));
  const database = join(directory, "readers.db");
  const server = new CountingServer(
    { ...QUICK_RECOVERY, database, chunks, pauseMs, holdAt },
    isBuilt,
  );
  try {
    await server.start({ isLast: kills === 0 });
    return await readAll(server, options);
  } finally {
    await server.kill();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function readAll(server: CountingServer, options: ResumingOptions): Promise<ResumingReport> {
  const { runs, chunks, seed } = options;
  const random = new SeededRandom(seed);
  const begin = performance.now();
  const runIds = await submitAll(server.agentUrl, runs);
  const readers = Array.from({ length: options.readers }, (_, index) =>
    readerOf(server.agentUrl, {
      runId: runIds[index % runs] ?? "",
      isOwn: Math.floor(index / runs) % READERS_PER_CLIENT === 0,
      random: random.fork(),
    }),
  );
  const over = new AbortController();
  const reading = Promise.all(readers.map((reader) => reader.read())).finally(() => over.abort());
  const killing = killAgainAndAgain(server, { ...options, readers, random, over: over.signal });
  const [kills] = await Promise.all([killing, reading]);
  const seconds = (performance.now() - begin) / 1000;
  await server.kill();
  const readings = readers.map(({ reading }) => reading);
  const ofRun = runIds.map((_, run) => readings.filter((_, index) => index % runs === run));
  const flaws = ofRun.map((readings) => flawsOf(readings, chunks));
  return {
    seconds,
    events: sum(readings.map(({ seqs }) => seqs.length)),
    leaves: sum(readings.map(({ leaves }) => leaves)),
    losses: sum(readings.map(({ losses }) => losses)),
    kills,
    restarts: sum(ofRun.map(([reading]) => reading?.restarts ?? 0)),
    runs,
    ownClients: readers.filter((reader) => reader instanceof RestlessClient).length,
    lives: server.lives,
    gaps: sum(flaws.map(({ gaps }) => gaps)),
    doubles: sum(flaws.map(({ doubles }) => doubles)),
    misled: sum(flaws.map(({ misled }) => misled)),
  };
}

async function submitAll(agentUrl: string, runs: number): Promise<readonly string[]> {
  const message = { role: "user", content: [{ text: "count" }] };
  const runIds: string[] = [];
  for (let number = 0; number < runs; number += 1) {
    const response = await fetch(`${agentUrl}/runs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ input: { message } }),
    });
    runIds.push(((await response.json()) as { readonly runId: string }).runId);
  }
  return runIds;
}

interface ReaderPlace {
  readonly runId: string;
  /** Whether it is our own client. */
  readonly isOwn: boolean;
  readonly random: SeededRandom;
}

function readerOf(agentUrl: string, { runId, isOwn, random }: ReaderPlace): Reader {
  return isOwn
    ? new RestlessClient(agentUrl, runId, random)
    : new RestlessReader(`${agentUrl}/runs/${runId}/events`, random);
}

interface Killing {
  readonly readers: readonly Reader[];
  readonly random: SeededRandom;
  readonly kills: number;
  readonly onProgress?: (text: string) => void;
  /** Aborts when there is nobody left who reads. */
  readonly over: AbortSignal;
}

// Each time in the middle of what is being said. Tells how often it came to it.
async function killAgainAndAgain(
  server: CountingServer,
  { readers, random, kills, over, onProgress = () => {} }: Killing,
): Promise<number> {
  const seen = (): number => sum(readers.map(({ reading }) => reading.seqs.length));
  for (let kill = 1; kill <= kills; kill += 1) {
    const enough = seen() + readers.length * random.between(...EVENTS_PER_LIFE);
    while (seen() < enough && !over.aborted) await sleep(5);
    if (over.aborted) return kill - 1;
    await server.kill();
    onProgress(`kill ${kill} of ${kills}, after ${seen()} events`);
    await server.start({ isLast: kill === kills });
    onProgress("the server is back");
  }
  return kills;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
