import {
  Ledger,
  type SessionKey,
  type SessionStore,
  type SnapshotEnd,
} from "../../src/ledger/index.ts";
import type { ChaosClient } from "./chaos-client.ts";
import { checkSession } from "./check-session.ts";
import type { WorkerJournal } from "./worker-journal.ts";

export interface Evidence {
  readonly clients: readonly ChaosClient[];
  readonly journal: WorkerJournal;
  /** A line for each time the tool ran: the turn it ran for. */
  readonly effects: readonly string[];
}

export interface Checked {
  readonly turns: number;
  readonly ends: Readonly<Partial<Record<SnapshotEnd, number>>>;
  readonly takeovers: number;
  readonly violations: readonly string[];
}

/** Holds everything that is stored against everything that was answered. */
export async function checkAll(
  store: SessionStore,
  { clients, journal, effects }: Evidence,
): Promise<Checked> {
  const { committed, stopped, unexpectedErrors } = journal;
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
  violations.push(...brokenEffects(effects, statuses));
  const ends: Partial<Record<SnapshotEnd, number>> = {};
  for (const status of statuses.values()) ends[status] = (ends[status] ?? 0) + 1;
  return { turns: statuses.size, ends, takeovers, violations };
}

/** Each session that somebody talked in. */
export function keysOf(clients: readonly ChaosClient[]): readonly SessionKey[] {
  return [...new Map(clients.map(({ key }) => [key.sessionId, key])).values()];
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
