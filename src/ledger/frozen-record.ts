import type { HeadRecord, TurnProgress } from "./head-record.ts";

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
  const { chain, queue, labels, pins, counts, active, forkedFrom } = record;
  return (
    holds(record) &&
    holds(counts) &&
    holds(pins) &&
    (active === null || holds(active)) &&
    everyPartOfProgress(active?.progress, holds) &&
    (forkedFrom === undefined || holds(forkedFrom)) &&
    everyItem(chain, holds) &&
    everyItem(queue, holds) &&
    everyItem(labels, holds)
  );
}

// Few turns have one.
function everyPartOfProgress(
  progress: TurnProgress | undefined,
  holds: (part: object) => boolean,
): boolean {
  if (progress === undefined) return true;
  const { chain, hash, counts, size, rows } = progress;
  return [progress, hash, counts, size, rows].every(holds) && everyItem(chain, holds);
}

function everyItem(list: readonly object[], holds: (part: object) => boolean): boolean {
  return holds(list) && list.every(holds);
}
