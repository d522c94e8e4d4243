import type { SeededRandom } from "./seeded-random.ts";

/**
 * What happens to a worker: kill -9; SIGSTOP for longer than its lease; a network that swallows everything for longer than its lease; connections
 * that are cut. And to the store's server: `crash`, which is kill -9 too.
 */
export type FaultKind = "kill" | "stop" | "black-hole" | "reset" | "crash";
export type WorkerFault = Exclude<FaultKind, "crash">;

/** How often each comes, in parts of the whole. */
type FaultMix = readonly (readonly [kind: WorkerFault, share: number])[];

/** Where several processes share one disk, there is no network between them and no server. */
const DISK_FAULTS: FaultMix = [
  ["kill", 0.9],
  ["stop", 0.1],
];

const SERVER_FAULTS: FaultMix = [
  ["kill", 0.7],
  ["stop", 0.1],
  ["black-hole", 0.1],
  ["reset", 0.1],
];

/** The kind of the n-th fault, from 1. Of a server, every so many are crashes; without one there are none. */
export function drawFault(
  fault: number,
  faultsPerCrash: number | undefined,
  random: SeededRandom,
): FaultKind {
  if (faultsPerCrash === undefined) return drawWorkerFault(DISK_FAULTS, random);
  return fault % faultsPerCrash === 0 ? "crash" : drawWorkerFault(SERVER_FAULTS, random);
}

function drawWorkerFault(mix: FaultMix, random: SeededRandom): WorkerFault {
  let left = random.next();
  for (const [kind, share] of mix) {
    if (left < share) return kind;
    left -= share;
  }
  return "kill";
}
