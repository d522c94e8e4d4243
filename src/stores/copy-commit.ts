import { type Commit, freezeRecord, type HeadRecord, isFrozenRecord } from "../ledger/index.ts";

/** Whoever made the commit may go on changing it. */
export function copyCommit({ expect, record, put = [], drop = [] }: Commit): Commit {
  return {
    expect,
    record: record === null || isFrozenRecord(record) ? record : unchangeable(record),
    put: [...put],
    drop: drop === "all" ? drop : [...drop],
  };
}

function unchangeable(record: HeadRecord): HeadRecord {
  return freezeRecord(JSON.parse(JSON.stringify(record)) as HeadRecord);
}
