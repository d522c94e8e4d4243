import { isLongerThan } from "../is-longer-than.ts";
import type { Place } from "./place.ts";

/** Where a value comes from: the wire brings no reserved keys, a program may use any. */
export type Origin = "wire" | "program";

export type PlainObject = Readonly<Record<string, unknown>>;

const RESERVED_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const WITHOUT_RESERVED_KEYS = "free of the keys __proto__, constructor and prototype";

/** Whether a key could reach a prototype in code that is careless with it. Refused from the wire. */
export function isReservedKey(key: string): boolean {
  return RESERVED_KEYS.has(key);
}

/** The value as an array, if it is one and not too deep down. */
export function arrayAt(value: unknown, place: Place): readonly unknown[] {
  if (!Array.isArray(value)) place.refuse("an array");
  checkDepth(place);
  return value;
}

/** The value as a plain object, if it is one and not too deep down. Instances of classes are not. */
export function objectAt(value: unknown, place: Place): PlainObject {
  if (!isPlainObject(value)) place.refuse("a plain object");
  checkDepth(place);
  return value;
}

/** The object's own keys, if none is too long, or reserved though it came from the wire. */
export function keysAt(object: PlainObject, place: Place, origin: Origin): readonly string[] {
  const keys = Object.keys(object);
  for (const key of keys) {
    checkLength(key, place);
    if (origin === "wire" && isReservedKey(key)) place.refuse(WITHOUT_RESERVED_KEYS);
  }
  return keys;
}

/** Refuses a string or a key that is too long. */
export function checkLength(text: string, place: Place): void {
  const most = place.limits.stringBytes;
  if (isLongerThan(text, most)) place.exceed(`free of strings over ${most} bytes`);
}

function checkDepth(place: Place): void {
  const most = place.limits.depth;
  if (place.depth > most) {
    place.exceed(`within ${most} levels of arrays and objects, and no object inside itself`);
  }
}

function isPlainObject(value: unknown): value is PlainObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Another realm has another Object.prototype, but that one too inherits from nothing.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
