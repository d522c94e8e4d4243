import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { buildCustomAgent, type LocalAgent } from "turnkeep";
import type { Place } from "../../support/places/place.ts";
import type { PlaceName } from "../../support/places/places.ts";
import { startPlaces } from "../../support/places/start-places.ts";
import { SeededRandom } from "../seeded-random.ts";
import { linesOf } from "../worker-journal.ts";
import { checkServed, type ServerNote } from "./check-served.ts";
import { HttpClient } from "./http-client.ts";
import { type ServerFault, ServerFleet } from "./server-fleet.ts";
import "../../support/built.ts";

export interface ServingChaosOptions {
  readonly place: Place;
  readonly faults: number;
  readonly seed: number;
}

export interface ServingChaosReport {
  readonly servers: number;
  readonly store: string;
  readonly seed: number;
  readonly faults: number;
  readonly kinds: Readonly<Partial<Record<ServerFault, number>>>;
  /** SIGTERMs that arrived while an input was being committed. */
  readonly sigtermsDuringAccepts: number;
  readonly turns: number;
  readonly completed: number;
  /** Nobody knows whether their tool ran: its process died meanwhile. */
  readonly interrupted: number;
  readonly retries: number;
  readonly drainMs: number;
  readonly seconds: number;
  readonly violations: readonly string[];
}

const SERVERS = 4;
const SESSIONS = 12;
const LEASE_MS = 1500;
const ATTEMPTS = 50;
const PAUSE_MS = [20, 250] as const;
const MAX_DRAIN_MS = 120_000;

/** Lets clients talk over HTTP while servers are closed, killed, frozen and blocked. Then checks every promise. */
export async function runServingChaos(options: ServingChaosOptions): Promise<ServingChaosReport> {
  const begunAt = Date.now();
  const { place, faults, seed } = options;
  const { settings } = place;
  if (settings === undefined)
    throw new Error("Servers need a store that other processes can open.");
  const random = new SeededRandom(seed);
  const directory = mkdtempSync(join(tmpdir(), "turnkeep-serving-"));
  const [effects, journal] = ["effects.txt", "journal.jsonl"].map((name) => join(directory, name));
  if (effects === undefined || journal === undefined) throw new Error("There are two files.");
  for (const path of [effects, journal]) writeFileSync(path, "");
  const store = await place.open();
  const reader = buildCustomAgent({ name: "clerk", store }, async () => {});
  const orders = { place: settings, effects, journal, leaseMs: LEASE_MS, attempts: ATTEMPTS };
  const fleet = new ServerFleet({
    servers: SERVERS,
    settings: orders,
    leaseMs: LEASE_MS,
    random: random.fork(),
  });
  try {
    const clients = Array.from({ length: SESSIONS }, (_, index) => {
      const sessionId = `session-${index}`;
      return new HttpClient({ fleet, reader, sessionId, random: random.fork() });
    });
    await disturb(fleet, clients, { faults, random: random.fork() });
    const drainMs = await drain(reader);
    await fleet.close();
    const notes = linesOf(journal).map((line) => JSON.parse(line) as ServerNote);
    const accepted = clients.flatMap((client) => client.accepted);
    const checked = await checkServed(reader, { accepted, notes, effects: linesOf(effects) });
    return {
      servers: SERVERS,
      store: settings.kind,
      seed,
      faults,
      kinds: fleet.strikes,
      sigtermsDuringAccepts: notes.filter(({ accepting = 0 }) => accepting > 0).length,
      turns: accepted.length,
      completed: checked.completed,
      interrupted: checked.interrupted,
      retries: clients.reduce((sum, { retries }) => sum + retries, 0),
      drainMs,
      seconds: Math.round((Date.now() - begunAt) / 1000),
      violations: [
        ...(drainMs > MAX_DRAIN_MS ? ["a session never came to rest"] : []),
        ...fleet.surprises,
        ...clients.flatMap(({ violations }) => violations),
        ...checked.violations,
      ],
    };
  } finally {
    await fleet.close();
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function disturb(
  fleet: ServerFleet,
  clients: readonly HttpClient[],
  { faults, random }: { readonly faults: number; readonly random: SeededRandom },
): Promise<void> {
  const talking = new AbortController();
  const strikeAll = async (): Promise<void> => {
    try {
      for (let fault = 0; fault < faults; fault += 1) {
        await setTimeout(random.between(...PAUSE_MS));
        await fleet.strike();
      }
    } finally {
      talking.abort();
    }
  };
  await Promise.all([strikeAll(), ...clients.map((client) => client.run(talking.signal))]);
  await fleet.settle();
}

/** Waits until every session is at rest, up to a limit. Returns how long that took. */
async function drain(agent: LocalAgent): Promise<number> {
  const begunAt = Date.now();
  for (;;) {
    const { sessions } = await agent.listSessions({ activity: "active", limit: 1 });
    const drainMs = Date.now() - begunAt;
    if (sessions.length === 0 || drainMs > MAX_DRAIN_MS) return drainMs;
    await setTimeout(50);
  }
}

/** Prints the violations, then the figures as one line of JSON. */
export function printServingReport({ violations, ...figures }: ServingChaosReport): void {
  for (const violation of violations.slice(0, 20)) process.stderr.write(`${violation}\n`);
  process.stdout.write(`${JSON.stringify({ ...figures, violations: violations.length })}\n`);
}

/** Runs it with a database server of its own. Returns whether every promise was kept. */
export async function mainServingChaos({
  store,
  faults,
  seed,
}: {
  readonly store: PlaceName;
  readonly faults: number;
  readonly seed: number;
}): Promise<boolean> {
  const places = await startPlaces(store);
  const place = await places.create();
  try {
    const report = await runServingChaos({ place, faults, seed });
    printServingReport(report);
    return report.violations.length === 0;
  } finally {
    await place.remove();
    await places.stop();
  }
}
