import { TurnkeepError } from "../protocol/index.ts";

const known = new WeakSet<object>();
const MOST_LEVELS = 200;

/**
 * Freezes a JSON value all the way down, so that it can be shared between turns, and refuses what would not come back
 * from a store as it went in. Looks at each object once, however often it comes by.
 *
 * @throws TurnkeepError INVALID_ARGUMENT naming the place of anything that is not plain JSON data.
 */
export function freezeJson<Value>(value: Value): Value {
  const place = freeze(value, 0);
  if (place === undefined) return value;
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    `The state holds something that is not plain JSON data at "${place}". Keep plain objects, arrays, strings, finite numbers, booleans and null.`,
    { details: { place } },
  );
}

// Answers where the first thing is that does not belong; the path grows on the way back, so that good values cost none.
function freeze(value: unknown, level: number): string | undefined {
  if (typeof value !== "object" || value === null) return isJsonLeaf(value) ? undefined : "";
  if (known.has(value)) return undefined;
  if (level > MOST_LEVELS || !isPlain(value)) return "";
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined && !Array.isArray(value)) continue;
    const place = freeze(member, level + 1);
    if (place !== undefined) return `/${key}${place}`;
  }
  known.add(Object.freeze(value));
  return undefined;
}

function isJsonLeaf(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return value === null || typeof value === "string" || typeof value === "boolean";
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return Object.keys(value).length === value.length;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
