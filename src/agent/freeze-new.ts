import { isReservedKey } from "../protocol/index.ts";
import { copyJson } from "./plain-copy.ts";

const MOST_LEVELS = 200;

// From here on the items of a list were probably moved, and are looked for among all the old ones.
const MANY_CHANGES = 16;
const NONE: ReadonlySet<unknown> = new Set();

/**
 * Freezes what is new in a custom state against the one it was made from, and refuses anything there that is not plain JSON.
 * Parts that stand in the same place in both are taken as sound and not looked at, so one change in a large state costs
 * the way down to it.
 *
 * @throws TurnkeepError INVALID_ARGUMENT naming the place of what is not JSON-serializable.
 */
export function freezeNew<Value>(value: Value, before: unknown): Value {
  if (new Walk().isSound(value, before)) return value;
  // Either the copy names what cannot be kept, or `toJSON` makes plain data of it.
  return copyJson(value, "custom");
}

type Members = Readonly<Record<string, unknown>>;

class Walk {
  // What was seen to the end. Something inside itself never is, and runs into the limit on levels.
  readonly #done = new Set<object>();
  #level = 0;

  isSound(value: unknown, before: unknown): boolean {
    if (typeof value !== "object" || value === null) return isJsonLeaf(value);
    if (value === before || this.#done.has(value)) return true;
    if (this.#level > MOST_LEVELS) return false;
    this.#level += 1;
    const isSound = Array.isArray(value) ? this.#list(value, before) : this.#object(value, before);
    this.#level -= 1;
    if (isSound) this.#done.add(Object.freeze(value));
    return isSound;
  }

  #list(list: readonly unknown[], before: unknown): boolean {
    // A copy, since V8 reads the items of a frozen list ten times as slowly.
    const old: readonly unknown[] = Array.isArray(before) ? [...before] : [];
    let known: ReadonlySet<unknown> = NONE;
    let changes = 0;
    for (
      let index = firstChange(list, old, 0);
      index < list.length;
      index = firstChange(list, old, index + 1)
    ) {
      const item = list[index];
      changes += 1;
      if (changes === MANY_CHANGES) known = new Set(old);
      if (!known.has(item) && !this.isSound(item, old[index])) return false;
    }
    return true;
  }

  #object(object: object, before: unknown): boolean {
    if (!isPlain(object)) return false;
    const old: Members = isMembers(before) ? before : {};
    for (const key of Object.keys(object)) {
      // No client takes such a key back, so a state that holds one could be seen but not resumed.
      if (isReservedKey(key)) return false;
      const member = (object as Members)[key];
      // A member without a value is absent, as in JSON.
      if (member === undefined) continue;
      if (!this.isSound(member, Object.hasOwn(old, key) ? old[key] : undefined)) return false;
    }
    return true;
  }
}

function firstChange(list: readonly unknown[], old: readonly unknown[], start: number): number {
  for (let index = start; index < old.length; index += 1) {
    const item = list[index];
    if (item !== old[index] || item === undefined) return index;
  }
  return Math.max(start, old.length);
}

function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === null;
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isJsonLeaf(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return value === null || typeof value === "string" || typeof value === "boolean";
}
