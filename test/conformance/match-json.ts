import type { Json, JsonObject } from "turnkeep/protocol";
import { type Difference, differenceOf } from "./difference.ts";

/**
 * Where the actual value lacks something of the expected one. Objects may have more members than expected; of lists, the expected items must be there in
 * their order, with others between them; everything else must be the same.
 */
export function findDifferences(
  expected: Json,
  actual: unknown,
  path: string,
): readonly Difference[] {
  if (isList(expected)) return missingItems(expected, actual, path);
  if (isObject(expected)) return missingMembers(expected, actual, path);
  return expected === actual ? [] : [differenceOf(path, expected, actual)];
}

function missingMembers(expected: JsonObject, actual: unknown, path: string): Difference[] {
  if (!isObject(actual)) return [differenceOf(path, expected, actual)];
  return Object.entries(expected).flatMap(([key, value = null]) =>
    findDifferences(value, Object.hasOwn(actual, key) ? actual[key] : undefined, `${path}.${key}`),
  );
}

// Taking the first item that fits leaves the most for those after it, so this finds them all if any way does.
function missingItems(expected: readonly Json[], actual: unknown, path: string): Difference[] {
  if (!isList(actual)) return [differenceOf(path, expected, actual)];
  let next = 0;
  for (const [index, item] of expected.entries()) {
    const found = actual.findIndex((one, at) => at >= next && fits(item, one));
    if (found === -1) return missingItem(expected, actual, { index, next, path });
    next = found + 1;
  }
  return [];
}

// In lists of the same length it is plain which item was meant, so only what is wrong with it is said.
function missingItem(
  expected: readonly Json[],
  actual: readonly unknown[],
  { index, next, path }: { readonly index: number; readonly next: number; readonly path: string },
): Difference[] {
  const item = expected[index] ?? null;
  const place = `${path}[${index}]`;
  if (expected.length === actual.length) return [...findDifferences(item, actual[index], place)];
  return [differenceOf(place, item, actual.slice(next))];
}

function fits(expected: Json, actual: unknown): boolean {
  return findDifferences(expected, actual, "").length === 0;
}

function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}
