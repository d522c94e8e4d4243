import type { ActiveTurn, HeadRecord } from "../ledger/index.ts";

/** A valid record of an idle session, with whatever a test cares about put over it. */
export function headRecord(overrides: Partial<HeadRecord> = {}): HeadRecord {
  return {
    schema: 1,
    rev: 0,
    head: null,
    chain: [],
    branches: 1,
    epoch: 1,
    active: null,
    queue: [],
    dueAt: null,
    sweepAt: null,
    createdAt: 1,
    updatedAt: 1,
    counts: { messages: 0, artifacts: 0 },
    labels: [],
    pins: [],
    ...overrides,
  };
}

/** A valid active turn, whose snapshot is `snapshot-1` and whose epoch is 1 unless a test says otherwise. */
export function activeTurn(overrides: Partial<ActiveTurn> = {}): ActiveTurn {
  return {
    runId: "run-1",
    turn: 0,
    snapshotId: "snapshot-1",
    since: 1,
    epoch: 1,
    claimId: "claim-1",
    leaseUntil: 1,
    attempt: 1,
    ...overrides,
  };
}
