import type { Json, JsonObject } from "turnkeep/protocol";
import fc from "fast-check";

const PLAIN_KEYS = ["~", "/", "", "-", "0", "01", "é", "a", "b", "~1", "a/b"];
const INHERITED_KEYS = ["__proto__", "constructor", "toString", "prototype"];

/** Small documents with keys that are hard on pointers; with names of inherited members too, if asked. */
export function nastyJson(options: { readonly inherited: boolean }): fc.Arbitrary<Json> {
  const keys = options.inherited ? [...PLAIN_KEYS, ...INHERITED_KEYS] : PLAIN_KEYS;
  const { json } = fc.letrec<{ json: Json }>((tie) => {
    const item = tie("json");
    const member = fc.tuple(fc.constantFrom(...keys), item);
    return {
      json: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.constantFrom<Json>(null, true, false, 0, 1, -1.5, "", "x", "é\u2028", "~/"),
        fc.array(item, { maxLength: 5 }),
        fc.array(member, { maxLength: 4 }).map(objectFrom),
      ),
    };
  });
  return json;
}

/** Two documents: strangers, or the second made from the first by small changes that share all the rest. */
export function nastyPair(options: {
  readonly inherited: boolean;
}): fc.Arbitrary<readonly [Json, Json]> {
  const json = nastyJson(options);
  const edits = fc.array(fc.tuple(fc.nat(), fc.nat(), json), { minLength: 1, maxLength: 4 });
  const related = fc.tuple(json, edits).map(([before, list]): readonly [Json, Json] => {
    return [before, list.reduce<Json>((after, edit) => changed(after, edit), before)];
  });
  return fc.oneof(fc.tuple(json, json), { arbitrary: related, weight: 2 });
}

type Edit = readonly [where: number, how: number, value: Json];

function changed(value: Json, [where, how, next]: Edit): Json {
  if (typeof value !== "object" || value === null || where % 7 === 0) return next;
  const rest: Edit = [Math.floor(where / 7), how, next];
  return Array.isArray(value)
    ? changedArray(value, rest)
    : changedObject(value as JsonObject, rest);
}

function changedArray(array: readonly Json[], edit: Edit): Json {
  const [where, how, next] = edit;
  const index = array.length === 0 ? 0 : where % array.length;
  if (how % 3 === 0) return array.toSpliced(index, 1);
  if (how % 3 === 1 || array.length === 0) return array.toSpliced(index, 0, next);
  return array.with(index, changed(array[index]!, edit));
}

function changedObject(object: JsonObject, edit: Edit): Json {
  const entries = Object.entries(object) as [string, Json][];
  const [where, how] = edit;
  const index = entries.length === 0 ? 0 : where % entries.length;
  const [key, value] = entries[index] ?? ["a", null];
  if (how % 3 === 0) return objectFrom(entries.toSpliced(index, 1));
  if (how % 3 === 1) return objectFrom([[`${key}~`, value], ...entries]);
  return objectFrom([...entries, [key, changed(value, edit)]]);
}

function objectFrom(entries: readonly (readonly [string, Json])[]): JsonObject {
  const object = {};
  for (const [key, value] of entries) {
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return object;
}
