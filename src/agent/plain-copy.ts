import { freezeJson, isFrozenJson } from "../ledger/index.ts";
import { isReservedKey, TurnkeepError } from "../protocol/index.ts";

/**
 * A frozen copy as plain JSON, so that later changes to the original go unnoticed. What is frozen throughout is not copied. An object with
 * `toJSON`, such as a `Date`, is copied as what that returns.
 *
 * @param at names the value in errors.
 * @throws TurnkeepError INVALID_ARGUMENT naming the place of what is not JSON-serializable.
 */
export function plainCopy<Value>(value: Value, at: string): Value {
  return isSharedJson(value) ? value : copyJson(value, at);
}

/** Like `plainCopy`, but always copies, and refuses keys that no client takes back. */
export function copyJson<Value>(value: Value, at: string): Value {
  const copy = copyPlain(value, 0);
  if (copy === undefined) throw notSerializable(value, at, 0);
  return freezeJson(copy) as Value;
}

function isSharedJson(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !isFrozenJson(value)) return false;
  try {
    freezeJson(value);
    return true;
  } catch {
    // A frozen Map, for example.
    return false;
  }
}

const MAX_LEVELS = 200;

/** A copy; `undefined` when the value is not JSON-serializable. */
function copyPlain(given: unknown, level: number): unknown {
  const value = toPlain(given);
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  // Adding zero makes minus zero, which JSON does not know, a zero like any other.
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : undefined;
  if (typeof value !== "object" || level > MAX_LEVELS) return undefined;
  return Array.isArray(value) ? copyList(value, level) : copyObject(value, level);
}

function copyList(list: readonly unknown[], level: number): unknown {
  const copy: unknown[] = [];
  for (let index = 0; index < list.length; index += 1) {
    const item = copyPlain(list[index], level + 1);
    if (item === undefined) return undefined;
    copy.push(item);
  }
  return copy;
}

function copyObject(object: object, level: number): unknown {
  if (!isPlainObject(object)) return undefined;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    const member = object[key];
    // As in JSON, a member without a value is absent.
    if (member === undefined) continue;
    const copied = isReservedKey(key) ? undefined : copyPlain(member, level + 1);
    if (copied === undefined) return undefined;
    copy[key] = copied;
  }
  return copy;
}

type Members = Readonly<Record<string, unknown>>;

function isPlainObject(object: object): object is Members {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype === Object.prototype || prototype === null) return true;
  // Another realm has another Object.prototype, but that one too inherits from nothing.
  return Object.getPrototypeOf(prototype) === null;
}

type Serializing = { readonly toJSON: () => unknown };

function toPlain(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("toJSON" in value)) return value;
  return typeof value.toJSON === "function" ? (value as Serializing).toJSON() : value;
}

// Looks for the first part that could not be copied.
function notSerializable(given: unknown, at: string, level: number): TurnkeepError {
  const value = toPlain(given);
  if (level > MAX_LEVELS) return refusal(at, "circular, or nested too deep");
  if (Array.isArray(value)) {
    const index = Array.from(value).findIndex((item) => copyPlain(item, level + 1) === undefined);
    return notSerializable(value[index], `${at}[${index}]`, level + 1);
  }
  if (typeof value !== "object" || value === null || !isPlainObject(value)) {
    return refusal(at, kindOf(value));
  }
  for (const key of Object.keys(value)) {
    if (value[key] === undefined) continue;
    if (isReservedKey(key)) return reservedKey(at, key);
    if (copyPlain(value[key], level + 1) === undefined) {
      return notSerializable(value[key], at + memberText(key), level + 1);
    }
  }
  return refusal(at, "circular, or nested too deep");
}

const NAME = /^[A-Za-z_$][\w$]*$/;

function memberText(key: string): string {
  return NAME.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function kindOf(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return typeof value;
  const { constructor } = value as { readonly constructor?: unknown };
  return typeof constructor === "function" && constructor.name !== ""
    ? constructor.name
    : "class instance";
}

const LONGEST_PATH = 200;

function refusal(at: string, kind: string): TurnkeepError {
  const path = clipped(at);
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    `Value at ${path} is not JSON-serializable (${kind}).`,
    { details: { path } },
  );
}

function reservedKey(at: string, key: string): TurnkeepError {
  const path = clipped(at);
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    `Value at ${path} has the reserved key "${key}". Rename it: clients refuse such keys.`,
    { details: { path } },
  );
}

// A cycle has a long one.
function clipped(path: string): string {
  return path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;
}
