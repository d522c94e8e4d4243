import type { Json } from "./json.ts";
import { type LimitOptions, limitsFrom } from "./limits.ts";
import { checkJson } from "./schema/check-json.ts";
import { Place } from "./schema/place.ts";
import { isLongerThan } from "./is-longer-than.ts";

/**
 * Reads JSON text from outside.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when it is no JSON, holds a reserved key, or is over a limit.
 */
export function parseJson(text: string, options?: LimitOptions): Json {
  const limits = limitsFrom(options);
  const place = Place.start("JSON text", limits);
  if (typeof text !== "string") place.refuse("a string");
  if (isLongerThan(text, limits.textBytes)) place.exceed(`at most ${limits.textBytes} bytes`);
  const value = parseText(text, place);
  checkJson(value, place, "wire");
  return value as Json;
}

function parseText(text: string, place: Place): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own error quotes the text, so it is not kept as the cause.
    return place.refuse("well-formed JSON");
  }
}
