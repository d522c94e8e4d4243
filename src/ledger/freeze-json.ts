import { TurnkeepError } from "../protocol/index.ts";
import { isGrownFrom } from "./grown-list.ts";

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
  throw notJson(place);
}

/** Whether `freezeJson` has frozen it: nobody can change any of it. */
export function isFrozenJson(value: object): boolean {
  return known.has(value);
}

/** Like `freezeJson`, for a list that begins with the elements of an already frozen one: those are not looked at again. */
export function freezeGrown<Element>(
  list: readonly Element[],
  frozen: readonly Element[],
): readonly Element[] {
  if (known.has(list)) return list;
  const start = isGrownFrom(list, frozen) ? frozen.length : 0;
  for (let index = start; index < list.length; index += 1) {
    const place = freeze(list[index], 1);
    if (place !== undefined) throw notJson(`/${index}${place}`);
  }
  known.add(Object.freeze(list));
  return list;
}

function notJson(place: string): TurnkeepError {
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    `The state holds something that is not plain JSON data at "${place}". Keep plain objects, arrays, strings, finite numbers, booleans and null.`,
    { details: { place } },
  );
}

// Answers where the first thing is that does not belong; the path grows on the way back, so that good values cost none.
function freeze(value: unknown, level: number): string | undefined {
  if (typeof value !== "object" || value === null) return isJsonLeaf(value) ? undefined : "";
  if (known.has(value)) return undefined;
  if (level > MOST_LEVELS) return "";
  const place = Array.isArray(value) ? freezeList(value, level) : freezeObject(value, level);
  if (place === undefined) known.add(Object.freeze(value));
  return place;
}

function freezeList(list: readonly unknown[], level: number): string | undefined {
  for (let index = 0; index < list.length; index += 1) {
    const place = freeze(list[index], level + 1);
    if (place !== undefined) return `/${index}${place}`;
  }
  return undefined;
}

function freezeObject(object: object, level: number): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return "";
  for (const key of Object.keys(object)) {
    const member = (object as Readonly<Record<string, unknown>>)[key];
    // A member without a value is absent, as in JSON.
    const place = member === undefined ? undefined : freeze(member, level + 1);
    if (place !== undefined) return `/${key}${place}`;
  }
  return undefined;
}

function isJsonLeaf(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return value === null || typeof value === "string" || typeof value === "boolean";
}
