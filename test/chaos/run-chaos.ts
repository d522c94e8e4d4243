import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import {
  createScope,
  createSessionKey,
  Ledger,
  type SessionKey,
  type SessionStore,
  type SnapshotEnd,
} from "../../src/ledger/index.ts";
import { findSqliteClient } from "../../src/stores/sqlite/find-sqlite-client.ts";
import { ChaosClient } from "./chaos-client.ts";
import { checkSession } from "./check-session.ts";
import { chooseSeed, SeededRandom } from "./seeded-random.ts";
import { WorkerFleet } from "./worker-fleet.ts";
import { linesOf, readWorkerJournal } from "./worker-journal.ts";
import { mainWorkersChaos } from "./workers/run-workers-chaos.ts";

export interface ChaosOptions {
  readonly faults: number;
  /** Gives the same choices again. When processes run and die is up to the machine. */
  readonly seed: number;
}

export interface ChaosReport {
  readonly seed: number;
  readonly faults: number;
  readonly kills: number;
  readonly stops: number;
  readonly turns: number;
  readonly ends: Readonly<Partial<Record<SnapshotEnd, number>>>;
  readonly takeovers: number;
  readonly fenced: number;
  readonly busyErrors: number;
  /** From the last fault until every session was at rest. */
  readonly drainMs: number;
  readonly seconds: number;
  readonly violations: readonly string[];
}

const SESSIONS = 20;
const CLIENTS_PER_SESSION = 2;
const WORKERS = 3;
const LEASE_MS = 1500;
const PAUSE_MS = [50, 350] as const;
const LONGEST_DRAIN_MS = 30_000;

/** Lets clients talk while workers are killed and frozen, waits until all is quiet, and checks every promise. */
export async function runChaos({ faults, seed }: ChaosOptions): Promise<ChaosReport> {
  requireBuild();
  const begunAt = Date.now();
  const random = new SeededRandom(seed);
  const place = new ChaosPlace();
  const store = await openSqliteStore(place.database);
  const fleet = new WorkerFleet({
    workers: WORKERS,
    files: place,
    leaseMs: LEASE_MS,
    random: random.fork(),
  });
  try {
    const clients = createClients(new Ledger({ store }), random);
    await disturb(fleet, clients, { faults, random: random.fork() });
    const { drainMs, restless } = await drain(store, clients);
    await fleet.close();
    const checked = await checkAll(store, clients, place);
    await store.close();
    const violations = [
      ...fleet.surprises,
      ...restless,
      ...checked.violations,
      ...(await brokenFile(place.database)),
    ];
    const seconds = Math.round((Date.now() - begunAt) / 1000);
    return { seed, faults, ...fleet.faults, ...checked, drainMs, seconds, violations };
  } finally {
    await fleet.close();
    await store.close();
    place.remove();
  }
}

/** The files of one run. */
class ChaosPlace {
  readonly #directory: string = mkdtempSync(join(tmpdir(), "turnkeep-chaos-"));
  readonly database: string = join(this.#directory, "chaos.db");
  /** What the tool did: a line for each time it ran. */
  readonly effects: string = join(this.#directory, "effects.txt");
  readonly journal: string = join(this.#directory, "journal.jsonl");

  constructor() {
    writeFileSync(this.effects, "");
    writeFileSync(this.journal, "");
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function requireBuild(): void {
  const built = fileURLToPath(new URL("../../dist/stores/sqlite/index.js", import.meta.url));
  if (!existsSync(built)) throw new Error('The workers run the built package: "npm run build".');
}

function createClients(ledger: Ledger, random: SeededRandom): readonly ChaosClient[] {
  const scope = createScope("chaos");
  return Array.from({ length: SESSIONS * CLIENTS_PER_SESSION }, (_, index) => {
    const key = createSessionKey(scope, "talker", `session-${index % SESSIONS}`);
    return new ChaosClient(ledger, key, { name: `client-${index}`, random: random.fork() });
  });
}

async function disturb(
  fleet: WorkerFleet,
  clients: readonly ChaosClient[],
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

async function drain(
  store: SessionStore,
  clients: readonly ChaosClient[],
): Promise<{ readonly drainMs: number; readonly restless: readonly string[] }> {
  const begunAt = Date.now();
  for (;;) {
    const restless: string[] = [];
    for (const key of keysOf(clients)) {
      const { record } = await store.load(key);
      if (record?.active || record?.queue.length) restless.push(key.sessionId);
    }
    const drainMs = Date.now() - begunAt;
    if (restless.length === 0) return { drainMs, restless };
    if (drainMs > LONGEST_DRAIN_MS) {
      return { drainMs, restless: restless.map((id) => `${id}: nobody finishes its turns`) };
    }
    await setTimeout(25);
  }
}

async function checkAll(
  store: SessionStore,
  clients: readonly ChaosClient[],
  place: ChaosPlace,
): Promise<
  Pick<ChaosReport, "turns" | "ends" | "takeovers" | "fenced" | "busyErrors" | "violations">
> {
  const { committed, stopped, fenced, busyErrors, unexpectedErrors } = readWorkerJournal(
    place.journal,
  );
  const violations = [...unexpectedErrors, ...clients.flatMap((client) => client.contradictions)];
  const statuses = new Map<string, SnapshotEnd>();
  let takeovers = 0;
  for (const key of keysOf(clients)) {
    const own = clients.filter((client) => client.key.sessionId === key.sessionId);
    const turns = own.flatMap((client) => client.turns);
    const aborts = own.flatMap((client) => client.aborts);
    const history = { key, turns, aborts, committed, stopped };
    const checked = await checkSession(new Ledger({ store }), history);
    for (const { snapshotId, status } of checked.snapshots) statuses.set(snapshotId, status);
    violations.push(...checked.violations);
    takeovers += checked.takeOvers;
  }
  violations.push(...brokenEffects(linesOf(place.effects), statuses));
  const ends: Partial<Record<SnapshotEnd, number>> = {};
  for (const status of statuses.values()) ends[status] = (ends[status] ?? 0) + 1;
  return { turns: statuses.size, ends, takeovers, fenced, busyErrors, violations };
}

function keysOf(clients: readonly ChaosClient[]): readonly SessionKey[] {
  return clients.slice(0, SESSIONS).map(({ key }) => key);
}

/** The tool ran at most once for any turn, and once for each that was completed. */
function brokenEffects(
  effects: readonly string[],
  statuses: ReadonlyMap<string, SnapshotEnd>,
): readonly string[] {
  const seen = new Set<string>();
  const violations: string[] = [];
  for (const snapshotId of effects) {
    if (seen.has(snapshotId)) violations.push(`the tool ran twice for ${snapshotId}`);
    if (!statuses.has(snapshotId)) violations.push(`the tool ran for unknown ${snapshotId}`);
    seen.add(snapshotId);
  }
  for (const [snapshotId, status] of statuses) {
    if (status === "completed" && !seen.has(snapshotId)) {
      violations.push(`${snapshotId} is completed, but its tool never ran`);
    }
  }
  return violations;
}

async function brokenFile(file: string): Promise<readonly string[]> {
  const { DatabaseSync } = await findSqliteClient();
  const database = new DatabaseSync(file);
  const found = database.prepare("pragma integrity_check").all() as { integrity_check: string }[];
  database.close();
  const text = found.map((row) => row.integrity_check).join("; ");
  return text === "ok" ? [] : [`the database is damaged: ${text}`];
}

/** One line for whoever collects figures, after a line for each violation. */
export function printReport({ violations, ...figures }: ChaosReport): void {
  for (const violation of violations.slice(0, 20)) process.stderr.write(`${violation}\n`);
  process.stdout.write(`${JSON.stringify({ ...figures, violations: violations.length })}\n`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      faults: { type: "string", default: "100" },
      seed: { type: "string" },
      workers: { type: "string" },
      backend: { type: "string", default: "redis" },
    },
  });
  const seed = chooseSeed(values.seed);
  process.stdout.write(`seed ${seed}\n`);
  if (values.workers !== undefined) {
    const isKept = await mainWorkersChaos({ ...values, faults: Number(values.faults), seed });
    process.exitCode = isKept ? 0 : 1;
    return;
  }
  const report = await runChaos({ faults: Number(values.faults), seed });
  printReport(report);
  process.exitCode = report.violations.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
