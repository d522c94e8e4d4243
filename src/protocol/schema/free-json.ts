import { isJsonArray, isJsonObject } from "../json-kind.ts";
import type { Json, JsonObject } from "../json.ts";
import { checkJson } from "./check-json.ts";
import { objectAt } from "./containers.ts";
import type { Place } from "./place.ts";

/** Any JSON, as a copy: what the sender does to the original later changes nothing here. */
export function freeJson(value: unknown, place: Place): Json {
  checkJson(value, place, "wire");
  return copyJson(value as Json);
}

/** Any JSON object, as a copy. */
export function freeObject(value: unknown, place: Place): JsonObject {
  objectAt(value, place);
  return freeJson(value, place) as JsonObject;
}

function copyJson(value: Json): Json {
  if (isJsonArray(value)) return value.map(copyJson);
  if (!isJsonObject(value)) return value;
  const copy: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== undefined) copy[key] = copyJson(member);
  }
  return copy;
}
