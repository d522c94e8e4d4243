import { freezeJson, isFrozenJson } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";

/**
 * A frozen copy as plain JSON: whoever keeps what it passed in can go on changing it without being noticed. What is frozen
 * throughout needs no copy.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when JSON cannot say it.
 */
export function plainCopy<Value>(value: Value): Value {
  const isPlain = typeof value !== "object" || value === null || isFrozenJson(value);
  return freezeJson(isPlain ? value : copyOf(value));
}

// What is plain data all through is copied directly; anything else goes through JSON, so that instances of classes leave their methods behind.
function copyOf<Value>(value: Value): Value {
  try {
    const copy = copyPlain(value, 0) ?? JSON.parse(JSON.stringify(value));
    return copy as Value;
  } catch (cause) {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      "Only what JSON can say can be kept and streamed.",
      { cause },
    );
  }
}

const MOST_LEVELS = 100;

/** A copy; `undefined` when JSON might say it otherwise. */
function copyPlain(value: unknown, level: number): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  // Adding zero makes minus zero, which JSON does not know, a zero like any other.
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : undefined;
  if (typeof value !== "object" || level > MOST_LEVELS || "toJSON" in value) return undefined;
  return Array.isArray(value) ? copyList(value, level) : copyObject(value, level);
}

function copyList(list: readonly unknown[], level: number): unknown {
  if (Object.getPrototypeOf(list) !== Array.prototype) return undefined;
  const copy: unknown[] = [];
  for (let index = 0; index < list.length; index += 1) {
    const item = copyPlain(list[index], level + 1);
    if (item === undefined) return undefined;
    copy.push(item);
  }
  return copy;
}

function copyObject(object: object, level: number): unknown {
  if (Object.getPrototypeOf(object) !== Object.prototype) return undefined;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    const member = (object as Readonly<Record<string, unknown>>)[key];
    if (member === undefined) continue;
    const copied = key === "__proto__" ? undefined : copyPlain(member, level + 1);
    if (copied === undefined) return undefined;
    copy[key] = copied;
  }
  return copy;
}
