import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  createScope,
  createSessionKey,
  Ledger,
  type SessionStore,
} from "../../src/ledger/index.ts";
import type { PlaceName } from "../support/places/places.ts";
import { ChaosClient } from "./chaos-client.ts";
import { ChaosGround } from "./chaos-ground.ts";
import type { ChaosReport } from "./chaos-report.ts";
import { checkAll, keysOf } from "./check-all.ts";
import { drain } from "./drain.ts";
import { drawFault, type FaultKind } from "./fault-kinds.ts";
import { SeededRandom } from "./seeded-random.ts";
import { ServerCrashes } from "./server-crashes.ts";
import { measureTakeOvers, percentile } from "./take-overs.ts";
import { WorkerFleet } from "./worker-fleet.ts";
import { linesOf, readWorkerJournal } from "./worker-journal.ts";
import "../support/built.ts";

export interface ChaosOptions {
  readonly store: PlaceName;
  readonly faults: number;
  /** How many of them are crashes of the server, where there is one. */
  readonly crashes?: number;
  /** Gives the same choices again. When processes run and die is up to the machine. */
  readonly seed: number;
}

const SESSIONS = 12;
const CLIENTS_PER_SESSION = 2;
const LEASE_MS = 1500;
const PAUSE_MS = [20, 250] as const;
const HOUR_MS = 3_600_000;
// A worker each: so many that two are at work while others are away or just starting, or faults would wait for them.
// Processes that share a disk share its machine's clock; those that share a server may each be wrong in their own way.
const SKEWS_ON_ONE_MACHINE = [0, 0, 0, 0, 0];
const SKEWS_BY_SERVER = [HOUR_MS, -HOUR_MS, 0, 0, 0];

// As often as a server is back for some seconds in between.
const FAULTS_PER_CRASH = 20;
const LONGEST_RECOVERY_MS = 5000;
const MOST_HEALTHY_SHARE = 0.05;

/** Lets clients talk while all goes wrong that can, waits until all is quiet, and checks every promise. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  requireBuild();
  const ground = await ChaosGround.open(options.store, SKEWS_BY_SERVER.length);
  const store = await ground.place.open();
  try {
    return await runOn(ground, store, options);
  } finally {
    await store.close();
    await ground.remove();
  }
}

async function runOn(
  ground: ChaosGround,
  store: SessionStore,
  options: ChaosOptions,
): Promise<ChaosReport> {
  const begunAt = Date.now();
  const random = new SeededRandom(options.seed);
  const skews = ground.server ? SKEWS_BY_SERVER : SKEWS_ON_ONE_MACHINE;
  const fleet = startFleet(ground, skews, random.fork());
  try {
    const clients = createClients(new Ledger({ store }), random);
    const keys = keysOf(clients);
    const crashes = ground.server && keys[0] && new ServerCrashes(ground.server, store, keys[0]);
    const kinds = await disturb({ fleet, crashes, clients, random: random.fork() }, options);
    const { drainMs, restless } = await drain(store, keys);
    await fleet.close();
    const journal = readWorkerJournal(ground.journal);
    const effects = linesOf(ground.effects);
    const checked = await checkAll(store, { clients, journal, effects });
    const strikes = [...fleet.strikes, ...(crashes?.strikes ?? [])];
    const taken = measureTakeOvers(journal.claims, journal.abandoned, strikes);
    const figures = {
      store: options.store,
      seed: options.seed,
      faults: sum(Object.values(kinds)),
      kinds,
      skewedWorkers: skews.filter((skew) => skew !== 0).length,
      ...checked,
      takeoverP50Ms: percentile(taken.times, 0.5),
      takeoverP99Ms: percentile(taken.times, 0.99),
      healthyTakeovers: taken.healthy,
      fenced: journal.fenced,
      busyErrors: journal.busyErrors,
      recoveryMs: crashes ? Math.round(Math.max(0, ...crashes.recoveries)) : null,
      drainMs,
      seconds: Math.round((Date.now() - begunAt) / 1000),
    };
    const violations = [
      ...fleet.surprises,
      ...restless,
      ...checked.violations,
      ...(await ground.damage()),
    ];
    return { ...figures, violations, late: lateness(figures) };
  } finally {
    await fleet.close();
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function requireBuild(): void {
  const built = fileURLToPath(new URL("../../dist/ledger/index.js", import.meta.url));
  if (!existsSync(built)) throw new Error('The workers run the built package: "npm run build".');
}

function startFleet(
  ground: ChaosGround,
  skews: readonly number[],
  random: SeededRandom,
): WorkerFleet {
  const { effects, journal, lines } = ground;
  const orders = skews.map((skewMs, index) => ({
    place: ground.settingsFor(index),
    effects,
    journal,
    leaseMs: LEASE_MS,
    skewMs,
  }));
  return new WorkerFleet({ orders, lines, random });
}

function createClients(ledger: Ledger, random: SeededRandom): readonly ChaosClient[] {
  const scope = createScope("chaos");
  return Array.from({ length: SESSIONS * CLIENTS_PER_SESSION }, (_, index) => {
    const key = createSessionKey(scope, "talker", `session-${index % SESSIONS}`);
    return new ChaosClient(ledger, key, { name: `client-${index}`, random: random.fork() });
  });
}

interface Scene {
  readonly fleet: WorkerFleet;
  readonly crashes: ServerCrashes | undefined;
  readonly clients: readonly ChaosClient[];
  readonly random: SeededRandom;
}

/** Lets the clients talk until that many faults have struck and whoever was away is back. Says how many of each kind there were. */
async function disturb(
  { fleet, crashes, clients, random }: Scene,
  { faults, crashes: wanted }: ChaosOptions,
): Promise<ChaosReport["kinds"]> {
  const perCrash = wanted === undefined ? FAULTS_PER_CRASH : Math.floor(faults / wanted);
  const talking = new AbortController();
  const kinds: Partial<Record<FaultKind, number>> = {};
  const strikeAll = async (): Promise<void> => {
    for (let fault = 1; fault <= faults; fault += 1) {
      await setTimeout(random.between(...PAUSE_MS));
      const kind = drawFault(fault, crashes && perCrash, random);
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      if (kind === "crash") await crashes?.strike(random.next());
      else await fleet.strike(kind);
    }
    talking.abort();
  };
  await Promise.all([strikeAll(), ...clients.map((client) => client.run(talking.signal))]);
  await Promise.all([fleet.settle(), crashes?.settle()]);
  return kinds;
}

/** How long a take-over takes is reported, and no violation: on a busy machine it waits for processes to start. */
function lateness({
  recoveryMs,
  healthyTakeovers,
  turns,
}: Pick<ChaosReport, "recoveryMs" | "healthyTakeovers" | "turns">): readonly string[] {
  const late: string[] = [];
  if ((recoveryMs ?? 0) > LONGEST_RECOVERY_MS) {
    late.push(`the store took ${recoveryMs} ms to find the restarted server`);
  }
  if (healthyTakeovers > MOST_HEALTHY_SHARE * turns) {
    late.push(`${healthyTakeovers} turns were taken from workers that nothing had struck`);
  }
  return late;
}
