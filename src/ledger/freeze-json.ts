import { TurnkeepError } from "../protocol/index.ts";
import type { GrownList } from "./grown-list.ts";

// Values known to be frozen throughout. Only larger ones are remembered: small ones are looked through again faster than looked up.
const known = new WeakSet<object>();
const REMEMBERED_FROM = 16;
const MOST_LEVELS = 200;

/**
 * Freezes a JSON value all the way down, so that it can be shared between turns, and refuses what would not come back
 * from a store as it went in. What it has frozen before costs it next to nothing. `at` is where the value itself is.
 *
 * @throws TurnkeepError INVALID_ARGUMENT naming the place of anything that is not plain JSON data.
 */
export function freezeJson<Value>(value: Value, at = ""): Value {
  const frozen = freeze(value, 0);
  if (typeof frozen === "string") throw notJson(`${at}${frozen}`);
  return value;
}

/** Whether nobody can change any of it. */
export function isFrozenJson(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (!Object.isFrozen(value)) return false;
  if (known.has(value)) return true;
  for (const key of Object.keys(value)) {
    if (!isFrozenJson((value as Readonly<Record<string, unknown>>)[key])) return false;
  }
  return true;
}

/** Like `freezeJson`, for the elements of a list that may begin with those of an already frozen one: these are not looked at again. */
export function freezeGrown(
  list: GrownList<unknown>,
  frozen: GrownList<unknown>,
  at: string,
): void {
  const start = list.beginsWith(frozen) ? frozen.length : 0;
  for (const [index, element] of list.from(start).entries()) {
    const found = freeze(element, 1);
    if (typeof found === "string") throw notJson(`${at}/${start + index}${found}`);
  }
}

/** How many objects and lists a value is made of, or the place of the first thing in it that does not belong. */
type Frozen = number | string;

// The path of a bad place grows on the way back, so that good values cost none.
function freeze(value: unknown, level: number): Frozen {
  if (typeof value !== "object" || value === null) return isJsonLeaf(value) ? 0 : "";
  if (Object.isFrozen(value) && known.has(value)) return REMEMBERED_FROM;
  if (level > MOST_LEVELS) return "";
  const nodes = Array.isArray(value) ? freezeList(value, level) : freezeObject(value, level);
  if (typeof nodes === "string") return nodes;
  Object.freeze(value);
  if (nodes >= REMEMBERED_FROM) known.add(value);
  return nodes + 1;
}

function freezeList(list: readonly unknown[], level: number): Frozen {
  let nodes = 0;
  for (let index = 0; index < list.length; index += 1) {
    const element = freeze(list[index], level + 1);
    if (typeof element === "string") return `/${index}${element}`;
    nodes += element;
  }
  return nodes;
}

function freezeObject(object: object, level: number): Frozen {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return "";
  let nodes = 0;
  for (const key of Object.keys(object)) {
    const value = (object as Readonly<Record<string, unknown>>)[key];
    // A member without a value is absent, as in JSON.
    const member = value === undefined ? 0 : freeze(value, level + 1);
    if (typeof member === "string") return `/${key}${member}`;
    nodes += member;
  }
  return nodes;
}

function isJsonLeaf(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return value === null || typeof value === "string" || typeof value === "boolean";
}

function notJson(place: string): TurnkeepError {
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    `The state holds something that is not plain JSON data at "${place}". Keep plain objects, arrays, strings, finite numbers, booleans and null.`,
    { details: { place } },
  );
}
