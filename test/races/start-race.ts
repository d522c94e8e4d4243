import { setTimeout } from "node:timers/promises";
import { createScope, createSessionKey, type SessionKey } from "../../src/ledger/index.ts";
import { chooseSeed, SeededRandom } from "../chaos/seeded-random.ts";

const SCOPE = createScope("races");
const LONGEST_PAUSE_MS = 3;

/** Set `TURNKEEP_SEED` to see the choices of a run again. */
const SEED: number = chooseSeed(process.env["TURNKEEP_SEED"]);

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
