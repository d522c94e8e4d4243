import { TurnkeepError } from "../protocol/index.ts";
import { placeOfDeltaKey, deltaKey, snapshotKey } from "./row-key.ts";
import type { SessionFileHeader } from "./session-file-header.ts";
import type { Row } from "./session-store.ts";
import { hashText } from "./sha256.ts";
import type { Snapshot } from "./snapshot.ts";
import { contentOf, parseDeltas } from "./snapshot-reader.ts";
import { snapshotOfRow } from "./snapshot-row.ts";

/** A session file that was read whole and found sound. */
export interface SessionFile {
  readonly header: SessionFileHeader;
  readonly snapshots: readonly Snapshot[];
  readonly deltas: readonly Row[];
}

interface FileRow {
  readonly key: string;
  readonly value: unknown;
}

interface FileEnd {
  readonly rows: number;
  readonly hash: string;
}

const SNAPSHOT_KEY = /^snapshot\/[A-Za-z0-9_-]{1,64}$/;

/** @throws TurnkeepError INVALID_ARGUMENT naming the line when the file is cut off, altered or not a session file. */
export async function readSessionFile(
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<SessionFile> {
  let header: SessionFileHeader | undefined;
  let end: FileEnd | undefined;
  let hash = "";
  const rows: FileRow[] = [];
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === "") continue;
    if (end !== undefined) throw refused(`line ${number} comes after the closing line`);
    const value = parseLine(line, number);
    if (header === undefined) header = checkHeader(value);
    else if ("hash" in value) end = value as unknown as FileEnd;
    else rows.push(checkRow(value, number));
    if (end === undefined) hash = hashText(hash + line.trimEnd());
  }
  if (header === undefined || end === undefined)
    throw refused("it has no header or no closing line");
  if (end.rows !== rows.length || end.hash !== hash) throw refused("it was cut off or altered");
  return checkWhole(header, rows);
}

function parseLine(line: string, number: number): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Readonly<Record<string, unknown>>;
    }
  } catch {
    // The text of a syntax error quotes the line; ours must not.
  }
  throw refused(`line ${number} is not a JSON object`);
}

function checkHeader(value: Readonly<Record<string, unknown>>): SessionFileHeader {
  const header = value as unknown as SessionFileHeader;
  if (header.format !== "turnkeep-session") throw refused("its first line is no session header");
  if (header.version !== 1) throw refused("it was written by a newer version; upgrade to read it");
  const { session } = header;
  const sound =
    typeof session === "object" &&
    session !== null &&
    (session.head === null || typeof session.head === "string") &&
    [session.rev, session.branches, session.createdAt, session.updatedAt].every(
      Number.isSafeInteger,
    ) &&
    Array.isArray(session.labels) &&
    Array.isArray(session.pins);
  if (!sound) throw refused("its header is incomplete");
  return header;
}

function checkRow({ key, value }: Readonly<Record<string, unknown>>, number: number): FileRow {
  if (typeof key !== "string" || typeof value !== "object" || value === null) {
    throw refused(`line ${number} is no row`);
  }
  if (key.startsWith("snapshot/")) {
    const { rev, status, stateVersion = 1 } = value as Snapshot;
    const sound =
      SNAPSHOT_KEY.test(key) &&
      Number.isSafeInteger(rev) &&
      Number.isSafeInteger(stateVersion) &&
      ["completed", "failed", "aborted"].includes(status);
    if (sound) return { key, value };
  }
  const { branch, ordinal } = placeOfDeltaKey(key);
  if (deltaKey(branch, ordinal) === key) return { key, value };
  throw refused(`line ${number} holds a row of an unknown kind`);
}

function checkWhole(header: SessionFileHeader, rows: readonly FileRow[]): SessionFile {
  const keys = new Set(rows.map(({ key }) => key));
  if (keys.size !== rows.length) throw refused("it holds a row twice");
  const { head, labels, pins } = header.session;
  const named = [
    ...(head === null ? [] : [head]),
    ...pins,
    ...labels.map(({ snapshotId }) => snapshotId),
  ];
  if (!named.every((id) => keys.has(snapshotKey(id))))
    throw refused("it names a snapshot it does not hold");
  const snapshots = rows
    .filter(({ key }) => key.startsWith("snapshot/"))
    .map((row) => snapshotOfRow(asText(row)));
  const deltas = rows.filter(({ key }) => key.startsWith("delta/")).map(asText);
  checkContents(snapshots, deltas);
  return { header, snapshots, deltas };
}

function asText({ key, value }: FileRow): Row {
  return { key, value: JSON.stringify(value) };
}

// The snapshots nobody continued are folded from all deltas; the others are checked when they are loaded.
function checkContents(snapshots: readonly Snapshot[], rows: readonly Row[]): void {
  const parents = new Set(snapshots.map(({ parentId }) => parentId));
  const deltas = parseDeltas(new Map(rows.map(({ key, value }) => [key, value])));
  for (const snapshot of snapshots) {
    if (snapshot.chain === undefined || parents.has(snapshot.snapshotId)) continue;
    try {
      contentOf(deltas, snapshot, "of the file");
    } catch (cause) {
      throw refused(`snapshot ${snapshot.snapshotId} does not match its hash`, cause);
    }
  }
}

function refused(why: string, cause?: unknown): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", `This session file cannot be imported: ${why}.`, {
    reason: "IMPORT_REFUSED",
    ...(cause !== undefined && { cause }),
  });
}
