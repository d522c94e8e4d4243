import type { HeadRecord } from "./head-record.ts";

/** Freezes a record all the way down, so that it can be shared. Looks at what records are made of and at nothing else, since every commit comes here. */
export function freezeRecord(record: HeadRecord): HeadRecord {
  for (const part of partsOf(record)) Object.freeze(part);
  return record;
}

/** Whether nobody can change any of it. */
export function isFrozenRecord(record: HeadRecord): boolean {
  return partsOf(record).every(Object.isFrozen);
}

function partsOf(record: HeadRecord): readonly object[] {
  const { chain, queue, labels, pins, counts, active, forkedFrom } = record;
  const parts: object[] = [record, chain, queue, labels, pins, counts];
  if (active !== null) parts.push(active);
  if (forkedFrom !== undefined) parts.push(forkedFrom);
  for (const list of [chain, queue, labels]) for (const part of list) parts.push(part);
  return parts;
}
