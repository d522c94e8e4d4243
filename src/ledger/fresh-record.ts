import type { ActiveTurn, HeadRecord, QueuedTurn } from "./head-record.ts";

/** A session nobody has spoken in. Its epoch goes on where a deleted one of the same name left off. */
export function freshRecord(before: HeadRecord | null, now: number): HeadRecord {
  return {
    schema: 1,
    rev: 0,
    head: null,
    chain: [],
    branches: 0,
    epoch: before?.epoch ?? 0,
    active: null,
    queue: [],
    dueAt: null,
    sweepAt: null,
    createdAt: now,
    updatedAt: now,
    counts: { messages: 0, artifacts: 0 },
    labels: [],
    pins: [],
  };
}

/** The record with a new occupant of its slot and a new queue, due when the one or the other is. */
export function withTurns(
  record: HeadRecord,
  active: ActiveTurn | null,
  queue: readonly QueuedTurn[],
): HeadRecord {
  const [next] = queue;
  const dueAt = active?.leaseUntil ?? next?.reservedUntil ?? next?.since ?? null;
  return { ...record, active, queue, dueAt };
}

/** The record with sweeping due by `time` at the latest. */
export function sweptBy(record: HeadRecord, time: number): HeadRecord {
  return { ...record, sweepAt: Math.min(record.sweepAt ?? time, time) };
}
