import { TurnkeepError } from "../ledger/index.ts";

/** The place of a session in a list: last updated first, then backwards by agent and id. */
export interface ListPlace {
  readonly updatedAt: number;
  readonly agent: string;
  readonly sessionId: string;
}

/** Text that callers hand back and do not look into. */
export function toListCursor(place: ListPlace): string {
  const bytes = new TextEncoder().encode(
    JSON.stringify([place.updatedAt, place.agent, place.sessionId]),
  );
  const binary = Array.from(bytes, (byte) => String.fromCodePoint(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @throws TurnkeepError INVALID_ARGUMENT when the text was not made by {@link toListCursor}. */
export function placeFromListCursor(cursor: string): ListPlace {
  const [updatedAt, agent, sessionId, ...rest] = parseCursor(cursor);
  if (
    typeof updatedAt === "number" &&
    typeof agent === "string" &&
    typeof sessionId === "string" &&
    rest.length === 0
  ) {
    return { updatedAt, agent, sessionId };
  }
  throw malformed();
}

function parseCursor(cursor: string): readonly unknown[] {
  try {
    const binary = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.codePointAt(0) ?? 0);
    const parts: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return Array.isArray(parts) ? parts : [];
  } catch (error) {
    throw malformed(error);
  }
}

function malformed(cause?: unknown): TurnkeepError {
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    "after: is not the `next` of a page this store returned.",
    {
      cause,
      details: { field: "after" },
    },
  );
}
