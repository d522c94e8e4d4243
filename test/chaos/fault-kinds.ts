import type { SeededRandom } from "./seeded-random.ts";

/**
 * What happens to a worker: kill -9; SIGSTOP for longer than its lease; a network that swallows everything for longer than its lease; connections
 * that are cut. And to the store's server: `crash`, which is kill -9 too.
 */
export type FaultKind = "kill" | "stop" | "black-hole" | "reset" | "crash";
export type WorkerFault = Exclude<FaultKind, "crash">;

/** How often each comes, in parts of the whole. */
type FaultMix = readonly (readonly [kind: FaultKind, share: number])[];

/** Where several processes share one disk, there is no network between them and no server. */
export const DISK_FAULTS: FaultMix = [
  ["kill", 0.9],
  ["stop", 0.1],
];

export const SERVER_FAULTS: FaultMix = [
  ["kill", 0.6],
  ["stop", 0.1],
  ["black-hole", 0.12],
  ["reset", 0.12],
  ["crash", 0.06],
];

export function drawFault(mix: FaultMix, random: SeededRandom): FaultKind {
  let left = random.next();
  for (const [kind, share] of mix) {
    if (left < share) return kind;
    left -= share;
  }
  return "kill";
}
