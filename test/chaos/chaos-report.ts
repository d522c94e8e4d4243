import type { SnapshotEnd } from "../../src/ledger/index.ts";
import type { PlaceName } from "../support/places/places.ts";
import type { FaultKind } from "./fault-kinds.ts";

export interface ChaosReport {
  readonly store: PlaceName;
  readonly seed: number;
  readonly faults: number;
  /** How often each kind of fault struck. */
  readonly kinds: Readonly<Partial<Record<FaultKind, number>>>;
  /** Workers whose clock is an hour wrong. */
  readonly skewedWorkers: number;
  readonly turns: number;
  readonly ends: Readonly<Partial<Record<SnapshotEnd, number>>>;
  readonly takeovers: number;
  /** From the fault that took a worker from its turn to the claim of the next one. */
  readonly takeoverP50Ms: number | null;
  readonly takeoverP99Ms: number | null;
  /** Take-overs from a worker that no fault had struck. A busy machine has some; a clock that decides has many. */
  readonly healthyTakeovers: number;
  readonly fenced: number;
  readonly busyErrors: number;
  /** From the moment a restarted server answers until the store does, at worst. */
  readonly recoveryMs: number | null;
  /** From the last fault until every session was at rest. */
  readonly drainMs: number;
  readonly seconds: number;
  readonly violations: readonly string[];
  /** What took longer than it should on a machine with nothing else to do. */
  readonly late: readonly string[];
}

/** One line for whoever collects figures, after a line for each violation. */
export function printReport({ violations, late, ...figures }: ChaosReport): void {
  for (const line of [...violations, ...late].slice(0, 20)) process.stderr.write(`${line}\n`);
  const counts = { violations: violations.length, late: late.length };
  process.stdout.write(`${JSON.stringify({ ...figures, ...counts })}\n`);
}
