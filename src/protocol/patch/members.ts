import type { Json, JsonObject } from "../json.ts";

/** An object's own members, as two lists of the same order. */
export type Members = {
  readonly keys: readonly string[];
  readonly values: readonly (Json | undefined)[];
};

// Past about this size V8 keeps objects as hash tables, where asking key by key is the faster way.
const LARGE = 1000;

/** Lists an object's members. Far faster than asking for each by name while the object is of ordinary size. */
export function membersOf(object: JsonObject): Members {
  const keys = Object.keys(object);
  const values =
    keys.length > LARGE ? keys.map((key) => object[key]) : Object.values<Json | undefined>(object);
  return { keys, values };
}
