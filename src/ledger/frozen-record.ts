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

function everyPart(record: HeadRecord, holds: Check): boolean {
  const { chain, queue, labels, pins, counts, active, forkedFrom, expiring } = record;
  return (
    holds(record) &&
    holds(counts) &&
    holds(pins) &&
    holdsTurn(active, holds) &&
    holdsExpiring(expiring, holds) &&
    (forkedFrom === undefined || holds(forkedFrom)) &&
    everyItem(chain, holds) &&
    everyItem(queue, holds) &&
    everyItem(labels, holds)
  );
}

type Check = (part: object) => boolean;

function holdsTurn(active: HeadRecord["active"], holds: Check): boolean {
  if (active === null) return true;
  const { rounds, progress } = active;
  return (
    holds(active) &&
    (rounds === undefined || holds(rounds)) &&
    (progress === undefined || holdsProgress(progress, holds))
  );
}

function holdsProgress(progress: TurnProgress, holds: Check): boolean {
  const { chain, hash, counts, size, rows } = progress;
  return [progress, hash, counts, size, rows].every(holds) && everyItem(chain, holds);
}

function holdsExpiring(expiring: HeadRecord["expiring"], holds: Check): boolean {
  return expiring === undefined || (holds(expiring) && holds(expiring.ids));
}

function everyItem(list: readonly object[], holds: Check): boolean {
  return holds(list) && list.every(holds);
}
