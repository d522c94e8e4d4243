import type { Json } from "../json.ts";
import { TurnkeepError } from "../turnkeep-error.ts";

const BEYOND_ASCII = /[\u0080-\uffff]/g;

/**
 * JSON of ASCII characters on one line. Some clients decode a stream chunk by chunk and would break a character whose
 * bytes fall into two of them.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when the value has no JSON text.
 */
export function asciiJson(value: Json): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TurnkeepError("INVALID_ARGUMENT", "The value must be JSON.");
  return asciiText(text);
}

/** The same JSON text with ASCII characters only. */
export function asciiText(json: string): string {
  return json.replace(BEYOND_ASCII, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
