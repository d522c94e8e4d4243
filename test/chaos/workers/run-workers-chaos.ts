import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createPostgresBackend, Queue } from "bullmq";
import { buildCustomAgent, type LocalAgent } from "turnkeep";
import { bullmqDispatcher } from "turnkeep/workers/bullmq";
import { startServices } from "../../support/services-start.ts";
import type { Place } from "../../support/places/place.ts";
import type { PlaceName } from "../../support/places/places.ts";
import { startPlaces } from "../../support/places/start-places.ts";
import { SeededRandom } from "../seeded-random.ts";
import { brokenEffects, brokenHistories, brokenTurns, type Ends, endsOf } from "./check-turns.ts";
import { CliFleet } from "./cli-fleet.ts";
import { DetachingClient } from "./detaching-client.ts";
import { hadHeir, type JournalEntry, percentile, takeOversOf } from "./take-over-times.ts";
import "../../support/built.ts";

export interface WorkersChaosOptions {
  readonly backend: "redis" | "postgres";
  /** Where the queue is. */
  readonly url: string;
  readonly place: Place;
  readonly faults: number;
  readonly seed: number;
}

export interface WorkersChaosReport {
  readonly workers: "bullmq";
  readonly backend: string;
  readonly store: string;
  readonly seed: number;
  readonly kills: number;
  readonly stops: number;
  /** Accepted. */
  readonly turns: number;
  readonly completed: number;
  /** Nobody knows whether their tool ran: its process died meanwhile. */
  readonly interrupted: number;
  readonly takeOvers: number;
  /** Those of them whose next worker was struck as well before it began; the times are of the others. */
  readonly struckAgain: number;
  readonly leaseMs: number;
  readonly takeOverP50Ms: number;
  readonly takeOverP99Ms: number;
  readonly takeOverMaxMs: number;
  /** Those that took longer than a lease and 5 s though somebody was there: a figure, since how fast an overloaded machine is is no promise of ours. */
  readonly lateTakeOvers: number;
  readonly drainMs: number;
  readonly seconds: number;
  readonly violations: readonly string[];
}

const SESSIONS = 12;
const WORKERS = 3;
const LEASE_MS = 1500;
const ATTEMPTS = 50;
const PAUSE_MS = [50, 500] as const;
const LONGEST_DRAIN_MS = 120_000;
const LATEST_TAKE_OVER_MS = LEASE_MS + 5000;

/** Lets clients detach turns while workers are killed and frozen, waits until all is quiet, and checks every promise. */
export async function runWorkersChaos(options: WorkersChaosOptions): Promise<WorkersChaosReport> {
  requireBuild();
  const begunAt = Date.now();
  const { backend, url, place, faults, seed } = options;
  const { settings } = place;
  if (settings === undefined)
    throw new Error("Workers need a store that other processes can open.");
  const random = new SeededRandom(seed);
  const files = new ChaosFiles();
  const queue = `chaos-${randomUUID()}`;
  const store = await place.open();
  const dispatcher = bullmqDispatcher({ connection: url, queue });
  const agent = buildCustomAgent({ name: "clerk", store, dispatcher }, async () => {});
  const fleet = new CliFleet({
    workers: WORKERS,
    flags: [`--${backend}`, url, "--queue", queue, "--concurrency", String(2 * SESSIONS)],
    settings: { store: settings, ...files.paths, leaseMs: LEASE_MS, attempts: ATTEMPTS },
    leaseMs: LEASE_MS,
    random: random.fork(),
  });
  try {
    const clients = Array.from({ length: SESSIONS }, (_, index) => {
      const names = { sessionId: `session-${index}`, name: `client-${index}` };
      return new DetachingClient(agent, { ...names, random: random.fork() });
    });
    await disturb(fleet, clients, { faults, random: random.fork() });
    const turns = clients.flatMap((client) => client.turns);
    const drainMs = await drain(agent);
    await fleet.close();
    const ends = await endsOf(agent, turns);
    const violations = [
      ...fleet.surprises,
      ...brokenTurns(turns, ends),
      ...brokenEffects(files.lines("effects"), ends),
      ...(await brokenHistories(agent, turns)),
    ];
    const journal = files.lines("journal").map((line) => JSON.parse(line) as JournalEntry);
    const takeOvers = takeOversOf(fleet.strikes, journal);
    // Whoever is struck before it began makes the next one wait for another lease: as many take-overs, not one that took long.
    const single = takeOvers.filter(({ tries }) => tries === 1);
    const times = single.map(({ milliseconds }) => milliseconds);
    const late = single.filter(
      ({ strike, milliseconds }) =>
        milliseconds > LATEST_TAKE_OVER_MS && hadHeir(strike, fleet, LATEST_TAKE_OVER_MS),
    );
    return {
      workers: "bullmq",
      backend,
      store: settings.kind,
      seed,
      kills: fleet.strikes.filter(({ kind }) => kind === "kill").length,
      stops: fleet.strikes.filter(({ kind }) => kind === "stop").length,
      turns: turns.length,
      completed: count(ends, "stop"),
      interrupted: count(ends, "interrupted"),
      takeOvers: takeOvers.length,
      struckAgain: takeOvers.length - single.length,
      leaseMs: LEASE_MS,
      takeOverP50Ms: percentile(times, 0.5),
      takeOverP99Ms: percentile(times, 0.99),
      takeOverMaxMs: percentile(times, 1),
      drainMs,
      seconds: Math.round((Date.now() - begunAt) / 1000),
      lateTakeOvers: late.length,
      violations,
    };
  } finally {
    await fleet.close();
    await dispatcher.close();
    await store.close();
    await forgetQueue(options, queue);
    files.remove();
  }
}

/** The files of one run. */
class ChaosFiles {
  readonly #directory: string = mkdtempSync(join(tmpdir(), "turnkeep-workers-"));
  readonly paths = {
    /** What the tool did: a line for each time it ran. */
    effects: join(this.#directory, "effects.txt"),
    journal: join(this.#directory, "journal.jsonl"),
  } as const;

  constructor() {
    for (const path of Object.values(this.paths)) writeFileSync(path, "");
  }

  lines(name: keyof ChaosFiles["paths"]): readonly string[] {
    return readFileSync(this.paths[name], "utf8").split("\n").slice(0, -1);
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function requireBuild(): void {
  const built = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
  if (!existsSync(built)) throw new Error('The workers run the built package: "npm run build".');
}

async function disturb(
  fleet: CliFleet,
  clients: readonly DetachingClient[],
  { faults, random }: { readonly faults: number; readonly random: SeededRandom },
): Promise<void> {
  const talking = new AbortController();
  const strikeAll = async (): Promise<void> => {
    for (let fault = 0; fault < faults; fault += 1) {
      await setTimeout(random.between(...PAUSE_MS));
      await fleet.strike();
    }
    talking.abort();
  };
  await Promise.all([strikeAll(), ...clients.map((client) => client.run(talking.signal))]);
}

/** Waits until every session is at rest, and says for how long; not for ever. */
async function drain(agent: LocalAgent): Promise<number> {
  const begunAt = Date.now();
  for (;;) {
    const { sessions } = await agent.listSessions({ activity: "active", limit: 1 });
    const drainMs = Date.now() - begunAt;
    if (sessions.length === 0 || drainMs > LONGEST_DRAIN_MS) return drainMs;
    await setTimeout(50);
  }
}

function count(ends: Ends, reason: string): number {
  return [...ends.values()].filter(({ finishReason }) => finishReason === reason).length;
}

async function forgetQueue({ backend, url }: WorkersChaosOptions, name: string): Promise<void> {
  const queue =
    backend === "redis"
      ? new Queue(name, { connection: { url } })
      : new Queue(name, { connection: { connectionString: url } }, createPostgresBackend);
  await queue.obliterate({ force: true });
  await queue.close();
}

/** One line for whoever collects figures, after a line for each violation. */
export function printWorkersReport({ violations, ...figures }: WorkersChaosReport): void {
  for (const violation of violations.slice(0, 20)) process.stderr.write(`${violation}\n`);
  process.stdout.write(`${JSON.stringify({ ...figures, violations: violations.length })}\n`);
}

/** Runs it with servers of its own; answers whether every promise was kept. */
export async function mainWorkersChaos({
  workers,
  backend,
  store,
  faults,
  seed,
}: {
  readonly workers?: string;
  readonly backend: string;
  readonly store: PlaceName;
  readonly faults: number;
  readonly seed: number;
}): Promise<boolean> {
  if (workers !== "bullmq") throw new RangeError("There are workers on bullmq.");
  if (backend !== "redis" && backend !== "postgres") {
    throw new RangeError("BullMQ's back ends are redis and postgres.");
  }
  const queue = await startServices([backend]);
  const places = await startPlaces(store);
  const url = queue.running[backend]?.url;
  if (url === undefined) throw new Error(queue.missing.map(({ reason }) => reason).join());
  const place = await places.create();
  try {
    const report = await runWorkersChaos({ backend, faults, seed, url, place });
    printWorkersReport(report);
    return report.violations.length === 0;
  } finally {
    await place.remove();
    await places.stop();
    await queue.stop();
  }
}
