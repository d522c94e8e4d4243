import { TurnkeepError } from "../protocol/index.ts";
import { findBase64UrlBytes, toBase64Url } from "./base64url.ts";

/** What an id that clients see stands for: a snapshot or a run, with the session it belongs to. */
export interface PublicId {
  readonly sessionId: string;
  readonly id: string;
}

const ENCODED = "x-";
const PLAIN = /^(?!x-)[A-Za-z0-9_.-]+$/;
const READABLE = /^(?!x-)(?:[A-Za-z0-9_.-]|~[0-9a-f]{2})+$/;
const UNSAFE = /[^A-Za-z0-9_.-]/gu;
// Such sessions were never encoded.
const ALWAYS_PLAIN = /^(?!x-)[A-Za-z0-9-]+$/;
// What no session id is longer than, and no id that names one.
const MOST_BYTES = 512;
const LONGEST = 800;

/**
 * An id that clients see names its session, so that a snapshot can be resumed, read and aborted by its id alone, without an index. It is
 * no proof of access: whoever shows it must still be of the session's tenant.
 *
 * The session stands there as it is, apart from a few characters that are escaped (`user:42` as `user~3a42`), or encoded as a whole where that is
 * shorter. All of it can stand in a URL.
 */
export function toPublicId({ sessionId, id }: PublicId): string {
  return `${spelled(sessionId)}.${id}`;
}

function spelled(sessionId: string): string {
  if (PLAIN.test(sessionId)) return sessionId;
  const readable = sessionId.replaceAll(UNSAFE, escaped);
  const encoded = encodedWhole(sessionId);
  const isReadable = readable.length <= encoded.length && !readable.startsWith(ENCODED);
  return isReadable && sessionId.isWellFormed() ? readable : encoded;
}

function encodedWhole(sessionId: string): string {
  return ENCODED + toBase64Url(new TextEncoder().encode(sessionId));
}

function escaped(character: string): string {
  return Array.from(new TextEncoder().encode(character), (byte) => `~${hex(byte)}`).join("");
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

/** `undefined` when the text is no id of ours; such a snapshot does not exist. */
export function findPublicId(text: string): PublicId | undefined {
  if (text.length > LONGEST) return undefined;
  const dot = text.lastIndexOf(".");
  const session = text.slice(0, Math.max(dot, 0));
  const id = text.slice(dot + 1);
  if (session === "" || !/^[A-Za-z0-9_-]{1,64}$/.test(id)) return undefined;
  const sessionId = session.startsWith(ENCODED) ? decoded(session) : unescaped(session);
  if (sessionId === undefined || !isSessionId(sessionId)) return undefined;
  return isOurs(session, sessionId) ? { sessionId, id } : undefined;
}

// One spelling is ours, and the one that all sessions had before which are not always plain.
function isOurs(session: string, sessionId: string): boolean {
  if (ALWAYS_PLAIN.test(sessionId)) return session === sessionId;
  return session === spelled(sessionId) || session === encodedWhole(sessionId);
}

/** @throws TurnkeepError NOT_FOUND when the text is no id of ours. */
export function getPublicId(text: string): PublicId {
  const found = findPublicId(text);
  if (found) return found;
  throw new TurnkeepError("NOT_FOUND", `Snapshot ${text} not found`, {
    details: { snapshotId: text },
  });
}

function isSessionId(text: string): boolean {
  if (text.trim() === "" || text.includes("\0")) return false;
  return new TextEncoder().encode(text).length <= MOST_BYTES;
}

function unescaped(session: string): string | undefined {
  if (!READABLE.test(session)) return undefined;
  const parts = session.split(/(~[0-9a-f]{2})/).filter((part) => part !== "");
  const bytes = parts.flatMap((part) =>
    part.startsWith("~")
      ? [Number.parseInt(part.slice(1), 16)]
      : Array.from(part, (letter) => letter.charCodeAt(0)),
  );
  return textOf(Uint8Array.from(bytes));
}

function decoded(session: string): string | undefined {
  const bytes = findBase64UrlBytes(session.slice(ENCODED.length));
  return bytes && textOf(bytes);
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The session that the id of a snapshot or run names; `undefined` for a text that is no such id. */
export function sessionIdOf(publicId: string): string | undefined {
  return findPublicId(publicId)?.sessionId;
}
