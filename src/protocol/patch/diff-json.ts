import { isJsonArray, isJsonObject } from "../json-kind.ts";
import type { Json, JsonObject } from "../json.ts";
import { alignArrays } from "./align-arrays.ts";
import { type ChangedMember, changedMembers } from "./changed-members.ts";
import { jsonLength } from "./json-length.ts";
import type { JsonPatchOperation } from "./json-patch-operation.ts";
import { escapeToken } from "./json-pointer.ts";

// Below this many operations a patch that names each change is preferred, even if one replacement were a little shorter.
const MANY_OPERATIONS = 16;

/**
 * The RFC 6902 patch that turns one value into the other, of `add`, `remove` and `replace` only. Members of objects are visited in the order of their keys. Parts that are the same
 * object in both are skipped unseen, so the cost follows the change wherever states share structure.
 */
export function diffJson(before: Json, after: Json): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  diffValues(before, after, { path: "", operations });
  return operations;
}

/** The shorter of `diffJson` and one replacement of the whole; empty when nothing changed. */
export function patchOrReplace(before: Json, after: Json): JsonPatchOperation[] {
  const operations = diffJson(before, after);
  const replacement: JsonPatchOperation = { op: "replace", path: "", value: after };
  return isLonger(operations, replacement) ? [replacement] : operations;
}

type Output = { readonly path: string; readonly operations: JsonPatchOperation[] };

function diffValues(before: Json, after: Json, output: Output): void {
  if (before === after) return;
  const { path, operations } = output;
  const start = operations.length;
  if (isJsonArray(before) && isJsonArray(after)) diffArrays(before, after, output);
  else if (isJsonObject(before) && isJsonObject(after)) diffObjects(before, after, output);
  else operations.push({ op: "replace", path, value: after });

  if (path !== "" && operations.length - start > MANY_OPERATIONS) {
    const replacement: JsonPatchOperation = { op: "replace", path, value: after };
    if (isLonger(operations.slice(start), replacement)) {
      operations.length = start;
      operations.push(replacement);
    }
  }
}

function diffObjects(before: JsonObject, after: JsonObject, { path, operations }: Output): void {
  for (const member of inOrder(changedMembers(before, after))) {
    const memberPath = `${path}/${escapeToken(member.key)}`;
    if (member.after === undefined) {
      operations.push({ op: "remove", path: memberPath });
    } else if (member.before === undefined) {
      operations.push({ op: "add", path: memberPath, value: member.after });
    } else {
      diffValues(member.before, member.after, { path: memberPath, operations });
    }
  }
}

// By their keys' code units, so that equal states give equal patches. Only what may have changed is sorted: of a wide object that is mostly one member.
function inOrder(members: readonly ChangedMember[]): readonly ChangedMember[] {
  if (members.length < 2) return members;
  return members.toSorted((left, right) => (left.key < right.key ? -1 : 1));
}

function diffArrays(before: readonly Json[], after: readonly Json[], output: Output): void {
  const { operations } = output;
  // Frozen lists, as states are made of, are read several times slower than plain copies of them.
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of alignArrays(
    [...before],
    [...after],
  )) {
    // Hunks come left to right, so everything left of this one has its final place already.
    const kept = Math.min(beforeEnd - beforeStart, afterEnd - afterStart);
    for (let offset = 0; offset < kept; offset += 1) {
      const path = `${output.path}/${afterStart + offset}`;
      diffValues(before[beforeStart + offset]!, after[afterStart + offset]!, { path, operations });
    }
    for (let index = beforeStart + kept; index < beforeEnd; index += 1) {
      operations.push({ op: "remove", path: `${output.path}/${afterStart + kept}` });
    }
    for (let index = afterStart + kept; index < afterEnd; index += 1) {
      operations.push({ op: "add", path: `${output.path}/${index}`, value: after[index]! });
    }
  }
}

function isLonger(operations: readonly JsonPatchOperation[], other: JsonPatchOperation): boolean {
  const length = jsonLength(operations, Number.POSITIVE_INFINITY);
  return jsonLength([other], length) < length;
}
