import { TurnkeepError } from "../protocol/index.ts";
import { freshRecord } from "./fresh-record.ts";
import type { HeadRecord } from "./head-record.ts";
import type { Ledger } from "./ledger.ts";
import { listSnapshots, readRows } from "./list-snapshots.ts";
import { snapshotKey } from "./row-key.ts";
import { readSessionFile, type SessionFile } from "./read-session-file.ts";
import type { SessionKey } from "./scope.ts";
import type { SessionFileHeader } from "./session-file-header.ts";
import type { Row } from "./session-store.ts";
import { hashText } from "./sha256.ts";
import type { Snapshot } from "./snapshot.ts";
import { snapshotRow } from "./snapshot-row.ts";
import { type Decision, livingRecord, type Step } from "./step.ts";

export type ImportAnswer =
  | { readonly kind: "imported"; readonly head: string | null; readonly snapshots: number }
  /** The session's id is taken. */
  | { readonly kind: "exists" };

/**
 * The session as lines of one file: a header, its snapshots and deltas, and a closing line with their number and hash. What a turn
 * that still runs would add is not in it.
 *
 * @throws TurnkeepError NOT_FOUND when there is no such session; ABORTED when it was swept or erased meanwhile: export again.
 */
export async function* exportSession(ledger: Ledger, key: SessionKey): AsyncGenerator<string> {
  const record = livingRecord((await ledger.store.load(key)).record);
  if (record === null) {
    throw new TurnkeepError("NOT_FOUND", `Session "${key.sessionId}" not found.`);
  }
  let rows = 0;
  let hash = "";
  const line = (value: unknown): string => {
    const text = JSON.stringify(value);
    hash = hashText(hash + text);
    return `${text}\n`;
  };
  yield line(headerOf(key, record));
  for await (const row of rowsOf(ledger, key, record)) {
    rows += 1;
    yield line({ key: row.key, value: JSON.parse(row.value) as unknown });
  }
  yield `${JSON.stringify({ rows, hash })}\n`;
}

/**
 * Makes a session from a file. Nothing is written unless all of it is sound.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when the file is cut off, altered or not a session file.
 */
export async function importSession(
  ledger: Ledger,
  key: SessionKey,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<ImportAnswer> {
  return await ledger.take(key, importFile(await readSessionFile(lines)));
}

function importFile({ header, snapshots, deltas }: SessionFile): Step<ImportAnswer> {
  return {
    want: () => ({}),
    decide: (view): Decision<ImportAnswer> => {
      if (livingRecord(view.record) !== null) return { answer: { kind: "exists" } };
      const { head } = header.session;
      const stored = snapshots.find(({ snapshotId }) => snapshotId === head);
      const own = head === null ? undefined : snapshotKey(head);
      const record: HeadRecord = {
        ...freshRecord(view.record, view.now),
        ...header.session,
        chain: own === undefined ? [] : [[own, own], ...(stored?.chain ?? [])],
        ...(stored?.counts && { counts: stored.counts }),
      };
      const put = [...snapshots.map((snapshot) => snapshotRow(snapshot)), ...deltas];
      return {
        answer: { kind: "imported", head, snapshots: snapshots.length },
        change: { record, put },
        ...(own !== undefined && { witnesses: [own] }),
      };
    },
  };
}

function headerOf({ agent, sessionId }: SessionKey, record: HeadRecord): SessionFileHeader {
  const { head, rev, branches, labels, pins, forkedFrom, about, createdAt, updatedAt } = record;
  return {
    format: "turnkeep-session",
    version: 1,
    agent,
    sessionId,
    session: {
      head,
      rev,
      branches,
      labels,
      pins,
      ...(forkedFrom && { forkedFrom }),
      ...(about && { about }),
      createdAt,
      updatedAt,
    },
  };
}

// Rows are only ever added, so those up to the record's revision are the session as it was then.
async function* rowsOf(ledger: Ledger, key: SessionKey, record: HeadRecord): AsyncGenerator<Row> {
  const snapshots = (await listSnapshots(ledger.store, key)).filter(({ rev }) => rev <= record.rev);
  for (const snapshot of snapshots) yield snapshotRow(snapshot);
  let deltas = 0;
  const heads = longestChains(snapshots);
  for await (const row of readRows(ledger.store, key, "delta/")) {
    if (!heads.some(([from, to]) => row.key >= from && row.key <= to)) continue;
    deltas += 1;
    yield row;
  }
  const head =
    record.head === null || snapshots.some(({ snapshotId }) => snapshotId === record.head);
  if (!head || (heads.length > 0 && deltas === 0)) {
    throw new TurnkeepError(
      "ABORTED",
      "The session changed while it was exported. Export it again.",
      {
        retryable: true,
      },
    );
  }
}

// Ranges that begin at the same delta cover each other; the widest of them is enough.
function longestChains(snapshots: readonly Snapshot[]): readonly (readonly [string, string])[] {
  const widest = new Map<string, string>();
  for (const [from, to] of snapshots.flatMap(({ chain }) => chain ?? [])) {
    if ((widest.get(from) ?? "") < to) widest.set(from, to);
  }
  return [...widest];
}
