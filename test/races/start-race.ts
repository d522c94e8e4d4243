import { setTimeout } from "node:timers/promises";
import { createScope, createSessionKey, type SessionKey } from "../../src/ledger/index.ts";
import { chooseSeed, SeededRandom } from "../chaos/seeded-random.ts";
import type { PlaceName } from "../support/places/places.ts";

const SCOPE = createScope("races");
const LONGEST_PAUSE_MS = 3;

/** Set `TURNKEEP_SEED` to see the choices of a run again. */
const SEED: number = chooseSeed(process.env["TURNKEEP_SEED"]);

// What each store has time for, as a share of what the fastest ones run. `TURNKEEP_RACES` sets the number for all.
const SHARES: Readonly<Record<PlaceName, number>> = {
  memory: 1,
  sqlite: 1,
  file: 0.1,
  postgres: 0.2,
  redis: 0.5,
};

export function raceCount(place: PlaceName, most: number): number {
  const given = process.env["TURNKEEP_RACES"];
  return given === undefined ? most * SHARES[place] : Number(given);
}

/** Time enough for so many races, however slow the store. */
export function raceTimeoutMs(count: number): number {
  return 60_000 + count * 100;
}

export function raceKey(name: string): SessionKey {
  return createSessionKey(SCOPE, "racer", name);
}

/** Runs `race` that often, so many at once. Each has a session and chance of its own. */
export async function runRaces(
  { count, atOnce }: { readonly count: number; readonly atOnce: number },
  race: (key: SessionKey, random: SeededRandom) => Promise<void>,
): Promise<void> {
  const random = new SeededRandom(SEED);
  for (let first = 0; first < count; first += atOnce) {
    const length = Math.min(atOnce, count - first);
    await Promise.all(
      Array.from({ length }, (_, index) =>
        race(raceKey(`session-${first + index}`), random.fork()),
      ),
    );
  }
}

/** Holds a runner back for a random while: a few microtasks, one turn of the event loop or a few milliseconds. */
export async function stagger(random: SeededRandom): Promise<void> {
  if (random.chance(0.5)) {
    for (let turns = random.below(16); turns > 0; turns -= 1) await Promise.resolve();
    return;
  }
  await setTimeout(random.between(0, LONGEST_PAUSE_MS));
}

/** One line for whoever collects figures from the output of tests. */
export function printCounts(race: string, counts: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify({ race, seed: SEED, ...counts })}\n`);
}
