import type { ActiveTurn, HeadRecord, QueuedTurn } from "./head-record.ts";

// Shared, as most records have some of these.
const NONE: readonly never[] = Object.freeze([]);

/** A session nobody has spoken in. Its epoch goes on where a deleted one of the same name left off. */
export function freshRecord(before: HeadRecord | null, now: number): HeadRecord {
  return {
    schema: 1,
    rev: 0,
    head: null,
    chain: NONE,
    branches: 0,
    epoch: before?.epoch ?? 0,
    active: null,
    queue: NONE,
    dueAt: null,
    sweepAt: null,
    createdAt: now,
    updatedAt: now,
    counts: { messages: 0, artifacts: 0 },
    labels: NONE,
    pins: NONE,
    forkedFrom: undefined,
    about: undefined,
    links: undefined,
    expiring: undefined,
    deletedAt: undefined,
  };
}

type RecordChange = Partial<
  Omit<
    HeadRecord,
    | "schema"
    | "createdAt"
    | "labels"
    | "pins"
    | "forkedFrom"
    | "about"
    | "links"
    | "expiring"
    | "deletedAt"
  >
>;

/**
 * The record with some members changed. Written out, since every step comes here: spreading a frozen record makes an object of a new shape each time,
 * which costs more to make and to read than all the rest of a step.
 */
export function changedRecord(record: HeadRecord, change: RecordChange): HeadRecord {
  const { rev = record.rev, head = record.head, chain = record.chain } = change;
  const { branches = record.branches, epoch = record.epoch, counts = record.counts } = change;
  const { active = record.active, queue = record.queue, dueAt = record.dueAt } = change;
  const { sweepAt = record.sweepAt, updatedAt = record.updatedAt } = change;
  const { schema, createdAt, labels, pins, forkedFrom, about, links } = record;
  const { expiring, deletedAt } = record;
  return {
    schema,
    rev,
    head,
    chain,
    branches,
    epoch,
    active,
    queue,
    dueAt,
    sweepAt,
    createdAt,
    updatedAt,
    counts,
    labels,
    pins,
    forkedFrom,
    about,
    links,
    expiring,
    deletedAt,
  };
}

/** The record with a new occupant of its slot and a new queue, due when the one or the other is. */
export function withTurns(
  record: HeadRecord,
  active: ActiveTurn | null,
  queue: readonly QueuedTurn[],
): HeadRecord {
  return changedRecord(record, { active, queue, dueAt: dueTime(active, queue) });
}

/** When somebody has to look after a session with these turns. */
export function dueTime(active: ActiveTurn | null, [next]: readonly QueuedTurn[]): number | null {
  return active?.leaseUntil ?? next?.reservedUntil ?? next?.since ?? null;
}

/** When the session is to be swept, if that has to be by `time` at the latest. */
export function sweptBy({ sweepAt }: HeadRecord, time: number): number {
  return Math.min(sweepAt ?? time, time);
}
