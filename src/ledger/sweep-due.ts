import type { Ledger } from "./ledger.ts";
import { sweepSession } from "./steps/sweep-session.ts";

export interface SweepReport {
  readonly sessions: number;
  readonly runs: number;
  readonly requests: number;
  readonly snapshots: number;
  /** Deleted sessions whose mark is gone now. */
  readonly forgotten: number;
}

const SESSIONS_PER_PAGE = 100;

/** Sweeps every session that has something due, then lets the store give the space back. Several processes may do it at once. */
export async function sweepDue(ledger: Ledger): Promise<SweepReport> {
  const report = { sessions: 0, runs: 0, requests: 0, snapshots: 0, forgotten: 0 };
  for (;;) {
    const due = await ledger.store.due({ kind: "sweep", limit: SESSIONS_PER_PAGE });
    for (const key of due) {
      const swept = await ledger.take(key, sweepSession(ledger.retention));
      report.sessions += 1;
      if (swept.kind === "forgotten") report.forgotten += 1;
      if (swept.kind !== "swept") continue;
      report.runs += swept.runs;
      report.requests += swept.requests;
      report.snapshots += swept.snapshots;
      if (swept.snapshots > 0) ledger.snapshots.forget(key);
    }
    if (due.length < SESSIONS_PER_PAGE) break;
  }
  await ledger.store.sweep();
  return report;
}
