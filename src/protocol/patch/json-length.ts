import { isJsonArray, isJsonObject } from "../json-kind.ts";
import type { Json } from "../json.ts";
import { MAX_DEPTH } from "../limits.ts";

/**
 * How long the value is as JSON text. Stops counting, and answers something greater, once past `limit`; also for a value that is deeper than
 * any reader takes.
 */
export function jsonLength(value: Json, limit: number, depth: number = MAX_DEPTH): number {
  if (typeof value === "string") return textLength(value, limit);
  if (depth === 0) return limit + 1;
  if (isJsonArray(value)) return arrayLength(value, limit, depth - 1);
  if (isJsonObject(value)) return objectLength(value, limit, depth - 1);
  return String(value).length;
}

function textLength(text: string, limit: number): number {
  return text.length > limit ? text.length : JSON.stringify(text).length;
}

function arrayLength(array: readonly Json[], limit: number, depth: number): number {
  let length = array.length === 0 ? 2 : 1;
  for (const item of array) {
    if (length > limit) return length;
    length += 1 + jsonLength(item, limit - length, depth);
  }
  return length;
}

function objectLength(
  object: { readonly [key: string]: Json | undefined },
  limit: number,
  depth: number,
): number {
  let length = 1;
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value === undefined) continue;
    if (length > limit) return length;
    length += 2 + textLength(key, limit) + jsonLength(value, limit - length, depth);
  }
  return Math.max(length, 2);
}
