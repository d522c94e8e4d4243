import { createHash } from "node:crypto";
import type { HeadRecord, KeyRange, Row } from "../../ledger/index.ts";
import { damaged } from "./to-store-error.ts";

/** One step of a session's history. */
export type EntryHeader =
  | CommitHeader
  | { readonly type: "append"; readonly seq: number }
  /** The history goes on in the generation of this id. */
  | { readonly type: "seal"; readonly seq: number; readonly next: string }
  /** The session was forgotten, and nothing comes after it. */
  | { readonly type: "end"; readonly seq: number };

export interface CommitHeader extends Weights {
  readonly type: "commit";
  readonly seq: number;
  readonly version: number;
  /** `null` forgets the session. */
  readonly record: HeadRecord | null;
  readonly drop: readonly KeyRange[];
}

/** What all entries up to `seq` come to. */
export interface BaseHeader extends Weights {
  readonly type: "base";
  readonly seq: number;
  readonly key: readonly [tenant: string, agent: string, sessionId: string];
  readonly version: number;
  readonly record: HeadRecord | null;
  /** Earlier bases whose rows still count, oldest first. */
  readonly bases: readonly BaseRef[];
  /** Ranges to drop from the rows of the earlier bases. */
  readonly drop: readonly KeyRange[];
}

/** Characters in rows that count, and in rows that were dropped but are still in some file. */
export interface Weights {
  readonly live: number;
  readonly dead: number;
}

export interface BaseRef {
  readonly seq: number;
  readonly bytes: number;
  readonly checksum: string;
}

export interface CheckedFile<Header> {
  readonly header: Header;
  readonly rows: readonly Row[];
  readonly bytes: number;
  readonly checksum: string;
}

const TITLE = "turnkeep 1 sha256 ";
const HASH_LENGTH = 64;
const HASH_END = TITLE.length + HASH_LENGTH;
/** The title, both checksums and the newline. */
const BODY_START = HASH_END + 1 + HASH_LENGTH + 1;
const NEWLINE = 0x0a;

/**
 * The first line has two checksums, of all that follows and of the second line; the second is the header. Then come the rows, each
 * with its key and its length in bytes before the value itself, which is kept as it came.
 */
export function encodeFile(header: BaseHeader | EntryHeader, rows: Iterable<Row>): Buffer {
  const first = JSON.stringify(header);
  const lines = [first];
  for (const { key, value } of rows) lines.push(`${key} ${Buffer.byteLength(value)}`, value);
  const body = Buffer.from(`${lines.join("\n")}\n`);
  return Buffer.concat([Buffer.from(`${TITLE}${hash(body)} ${hash(first)}\n`), body]);
}

/** @throws TurnkeepError DATA_LOSS when the bytes are not a base as it was written. */
export function decodeBase(bytes: Uint8Array): CheckedFile<BaseHeader> {
  const file = decodeFile(bytes);
  if (file.header.type !== "base") throw damaged();
  return { ...file, header: file.header };
}

/** @throws TurnkeepError DATA_LOSS when the bytes are not an entry as it was written. */
export function decodeEntry(bytes: Uint8Array): CheckedFile<EntryHeader> {
  const file = decodeFile(bytes);
  if (file.header.type === "base") throw damaged();
  return { ...file, header: file.header };
}

/**
 * The header alone, from the beginning of a file; `undefined` when it reaches further.
 *
 * @throws TurnkeepError DATA_LOSS when the bytes are not those that were written.
 */
export function decodeHeader(file: Uint8Array): BaseHeader | EntryHeader | undefined {
  const bytes = asBuffer(file);
  if (bytes.toString("latin1", 0, TITLE.length) !== TITLE) throw damaged();
  const end = bytes.indexOf(NEWLINE, BODY_START);
  if (end === -1) return undefined;
  const header = bytes.subarray(BODY_START, end);
  if (hash(header) !== bytes.toString("latin1", HASH_END + 1, BODY_START - 1)) throw damaged();
  // What has the right checksum was written by this file.
  return JSON.parse(header.toString()) as BaseHeader | EntryHeader;
}

export function checksumOf(file: Buffer): string {
  return file.toString("latin1", TITLE.length, HASH_END);
}

function decodeFile(file: Uint8Array): CheckedFile<BaseHeader | EntryHeader> {
  const bytes = asBuffer(file);
  const checksum = checksumOf(bytes);
  if (hash(bytes.subarray(BODY_START)) !== checksum) throw damaged();
  const header = decodeHeader(bytes);
  if (header === undefined) throw damaged();
  const rows = decodeRows(bytes, bytes.indexOf(NEWLINE, BODY_START) + 1);
  return { header, rows, bytes: bytes.length, checksum };
}

function decodeRows(bytes: Buffer, start: number): readonly Row[] {
  const rows: Row[] = [];
  let place = start;
  while (place < bytes.length) {
    const lineEnd = bytes.indexOf(NEWLINE, place);
    const line = bytes.toString("utf8", place, lineEnd);
    const space = line.lastIndexOf(" ");
    const valueEnd = lineEnd + 1 + Number(line.slice(space + 1));
    rows.push({ key: line.slice(0, space), value: bytes.toString("utf8", lineEnd + 1, valueEnd) });
    place = valueEnd + 1;
  }
  return rows;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function hash(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}
