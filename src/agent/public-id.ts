import { TurnkeepError } from "../protocol/index.ts";
import { findBase64UrlBytes, toBase64Url } from "./base64url.ts";

/** What an id that clients see stands for: a snapshot or a run, with the session it belongs to. */
export interface PublicId {
  readonly sessionId: string;
  readonly id: string;
}

const PLAIN = /^(?!x-)[A-Za-z0-9-]+$/;
const ENCODED = "x-";
// What no session id is longer than, and no id that names one.
const MOST_BYTES = 512;
const LONGEST = 800;

/**
 * An id that clients see names its session, so that a snapshot can be resumed, read and aborted by its id alone, without an index. It is
 * no proof of access: whoever shows it must still be of the session's tenant.
 */
export function toPublicId({ sessionId, id }: PublicId): string {
  const session = PLAIN.test(sessionId)
    ? sessionId
    : ENCODED + toBase64Url(new TextEncoder().encode(sessionId));
  return `${session}.${id}`;
}

/** `undefined` when the text is no id of ours; such a snapshot does not exist. */
export function findPublicId(text: string): PublicId | undefined {
  if (text.length > LONGEST) return undefined;
  const dot = text.lastIndexOf(".");
  const session = text.slice(0, Math.max(dot, 0));
  const id = text.slice(dot + 1);
  if (session === "" || !/^[A-Za-z0-9_-]{1,64}$/.test(id)) return undefined;
  const sessionId = session.startsWith(ENCODED) ? decoded(session) : session;
  if (sessionId === undefined || !isSessionId(sessionId)) return undefined;
  // One session has one spelling, so that two ids never mean the same snapshot.
  if (toPublicId({ sessionId, id }) !== text) return undefined;
  return { sessionId, id };
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

function decoded(session: string): string | undefined {
  const bytes = findBase64UrlBytes(session.slice(ENCODED.length));
  if (bytes === undefined) return undefined;
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
