import type { HeadRecord } from "./head-record.ts";

/** Freezes a record all the way down, so that it can be shared. Looks at what records are made of and at nothing else, since every commit comes here. */
export function freezeRecord(record: HeadRecord): HeadRecord {
  everyPart(record, (part) => Object.isFrozen(Object.freeze(part)));
  return record;
}

/** Whether nobody can change any of it. */
export function isFrozenRecord(record: HeadRecord): boolean {
  return everyPart(record, Object.isFrozen);
}

function everyPart(record: HeadRecord, holds: (part: object) => boolean): boolean {
  const { chain, queue, labels, pins, counts, active, forkedFrom, expiring } = record;
  const holdsIfThere = (part: object | null | undefined): boolean =>
    part === null || part === undefined || holds(part);
  return (
    holds(record) &&
    holds(counts) &&
    holds(pins) &&
    holdsIfThere(active) &&
    holdsIfThere(forkedFrom) &&
    holdsIfThere(expiring) &&
    holdsIfThere(expiring?.ids) &&
    everyItem(chain, holds) &&
    everyItem(queue, holds) &&
    everyItem(labels, holds)
  );
}

function everyItem(list: readonly object[], holds: (part: object) => boolean): boolean {
  return holds(list) && list.every(holds);
}
