import { isReservedKey, TurnkeepError } from "../protocol/index.ts";

const MOST_LEVELS = 200;

// From here on the items of a list were probably moved, and are looked for among all the old ones.
const MANY_CHANGES = 16;
const NONE: ReadonlySet<unknown> = new Set();

/**
 * Freezes what is new in a value against the one it was made from, and refuses anything there that is not plain JSON.
 * Parts that stand in the same place in both are taken as sound and not looked at, so one change in a large state costs
 * the way down to it.
 *
 * @throws TurnkeepError INVALID_ARGUMENT naming the place of what is not plain JSON data.
 */
export function freezeNew<Value>(value: Value, before: unknown): Value {
  const place = new Walk().freeze(value, before);
  if (place === undefined) return value;
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    `The custom state cannot hold what stands at "${place}". Keep plain objects, arrays, strings, finite numbers, booleans and null, and no keys named __proto__, constructor or prototype.`,
    { details: { place } },
  );
}

type Members = Readonly<Record<string, unknown>>;

// Each answer is the place of the first thing that does not belong; it grows on the way back, so good values cost none.
class Walk {
  // What was seen to the end. Something inside itself never is, and runs into the limit on levels.
  readonly #done = new Set<object>();
  #level = 0;

  freeze(value: unknown, before: unknown): string | undefined {
    if (typeof value !== "object" || value === null) return isJsonLeaf(value) ? undefined : "";
    if (value === before || this.#done.has(value)) return undefined;
    if (this.#level > MOST_LEVELS) return "";
    this.#level += 1;
    const place = Array.isArray(value) ? this.#list(value, before) : this.#object(value, before);
    this.#level -= 1;
    if (place === undefined) this.#done.add(Object.freeze(value));
    return place;
  }

  #list(list: readonly unknown[], before: unknown): string | undefined {
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
      const place = known.has(item) ? undefined : this.freeze(item, old[index]);
      if (place !== undefined) return `/${index}${place}`;
    }
    return undefined;
  }

  #object(object: object, before: unknown): string | undefined {
    if (!isPlain(object)) return "";
    const old: Members = isMembers(before) ? before : {};
    for (const key of Object.keys(object)) {
      // No client takes such a key back, so a state that holds one could be seen but not resumed.
      if (isReservedKey(key)) return `/${key}`;
      const member = (object as Members)[key];
      // A member without a value is absent, as in JSON.
      if (member === undefined) continue;
      const place = this.freeze(member, Object.hasOwn(old, key) ? old[key] : undefined);
      if (place !== undefined) return `/${key}${place}`;
    }
    return undefined;
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
