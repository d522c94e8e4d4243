import { isJsonArray, isJsonObject } from "../json-kind.ts";
import type { Json, JsonObject } from "../json.ts";
import { ownMember } from "../own-member.ts";
import { changedMembers } from "./changed-members.ts";

// Up to this many members, leaving at the first difference beats listing all members first.
const SMALL = 16;

/** Whether two values say the same: own members in any order; an `undefined` member is absent. */
export function jsonEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (isJsonArray(left)) return isJsonArray(right) && arraysEqual(left, right);
  return isJsonObject(left) && isJsonObject(right) && objectsEqual(left, right);
}

function arraysEqual(left: readonly Json[], right: readonly Json[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) {
    if (!jsonEqual(left[index], right[index])) return false;
  }
  return true;
}

function objectsEqual(left: JsonObject, right: JsonObject): boolean {
  const keys = Object.keys(left);
  if (keys.length > SMALL) {
    return changedMembers(left, right).every(({ before, after }) => jsonEqual(before, after));
  }
  let present = 0;
  for (const key of keys) {
    const value = left[key];
    if (value === undefined) continue;
    if (!jsonEqual(value, ownMember(right, key))) return false;
    present += 1;
  }
  return present === countPresent(right);
}

function countPresent(object: JsonObject): number {
  let present = 0;
  for (const key of Object.keys(object)) if (object[key] !== undefined) present += 1;
  return present;
}
