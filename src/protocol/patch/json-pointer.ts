import { refusePatch } from "./refuse-patch.ts";

/** What makes a text a JSON Pointer. */
export const POINTER_RULE = "empty or start with a slash, and hold ~ only as ~0 or ~1";

const BAD_ESCAPE = /~(?![01])/;
const ARRAY_INDEX = /^(?:0|[1-9][0-9]*)$/;

/**
 * The tokens of an RFC 6901 pointer, unescaped; none for the whole document.
 *
 * @throws TurnkeepError INVALID_ARGUMENT, PATCH_REFUSED when the text is no pointer.
 */
export function parsePointer(pointer: string): readonly string[] {
  const tokens = findPointerTokens(pointer);
  if (tokens === undefined) refusePatch(`a pointer must be ${POINTER_RULE}`);
  return tokens;
}

/** The tokens of a pointer, or `undefined` when the text is none. */
export function findPointerTokens(pointer: string): readonly string[] | undefined {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || BAD_ESCAPE.test(pointer)) return undefined;
  const tokens = pointer.slice(1).split("/");
  return pointer.includes("~") ? tokens.map(unescapeToken) : tokens;
}

/** The pointer that these tokens make. */
export function formatPointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${escapeToken(token)}`).join("");
}

/** A token as it is written inside a pointer. */
export function escapeToken(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The array index a token spells, or `undefined`: no sign, no leading zero, and never `-`. */
export function findArrayIndex(token: string): number | undefined {
  return ARRAY_INDEX.test(token) ? Number(token) : undefined;
}

function unescapeToken(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}
