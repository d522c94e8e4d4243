import { TurnkeepError } from "../protocol/index.ts";

/** What an id that clients see stands for: a snapshot or a run, with the session it belongs to. */
export interface PublicId {
  readonly sessionId: string;
  readonly id: string;
}

const PLAIN = /^(?!x-)[A-Za-z0-9-]+$/;
const ENCODED = "x-";

/**
 * An id that clients see names its session, so that a snapshot can be resumed, read and aborted by its id alone, without an index. It is
 * no proof of access: whoever shows it must still be of the session's tenant.
 */
export function toPublicId({ sessionId, id }: PublicId): string {
  const session = PLAIN.test(sessionId) ? sessionId : ENCODED + toBase64Url(sessionId);
  return `${session}.${id}`;
}

/** `undefined` when the text is no id of ours; such a snapshot does not exist. */
export function findPublicId(text: string): PublicId | undefined {
  const dot = text.lastIndexOf(".");
  const session = text.slice(0, Math.max(dot, 0));
  const id = text.slice(dot + 1);
  if (session === "" || !/^[A-Za-z0-9_-]{1,64}$/.test(id)) return undefined;
  const sessionId = session.startsWith(ENCODED)
    ? fromBase64Url(session.slice(ENCODED.length))
    : session;
  // One session has one spelling, so that two ids never mean the same snapshot.
  if (sessionId === undefined || toPublicId({ sessionId, id }) !== text) return undefined;
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

function toBase64Url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function fromBase64Url(text: string): string | undefined {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
