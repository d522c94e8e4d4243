import type { Json } from "../json.ts";
import type { JsonPatchOperation } from "./json-patch-operation.ts";
import { parsePointer } from "./json-pointer.ts";
import { PatchDraft } from "./patch-draft.ts";
import { refusePatch } from "./refuse-patch.ts";

/**
 * The document after an RFC 6902 patch: all of it or none. The document given is never changed, and the result shares
 * every part of it that the patch leaves alone. `copy` shares too, so a few copies of copies can describe a document far
 * larger than memory: use `applyBoundedPatch` for a patch that comes from somebody else.
 *
 * @throws TurnkeepError INVALID_ARGUMENT, PATCH_REFUSED when an operation is malformed, leads nowhere, or a test fails.
 */
export function applyPatch(document: Json, operations: readonly JsonPatchOperation[]): Json {
  return applyTo(new PatchDraft(document), operations);
}

/** The draft's document after the patch. */
export function applyTo(draft: PatchDraft, operations: readonly JsonPatchOperation[]): Json {
  if (!Array.isArray(operations)) refusePatch("it must be a list of operations");
  for (const operation of operations) applyOperation(draft, operation);
  return draft.document;
}

function applyOperation(draft: PatchDraft, operation: JsonPatchOperation): void {
  if (typeof operation !== "object" || operation === null)
    refusePatch("an operation must be an object");
  const path = tokensOf(operation.path);
  switch (operation.op) {
    case "add":
      return draft.add(path, valueOf(operation.value));
    case "replace":
      return draft.replace(path, valueOf(operation.value));
    case "remove":
      return draft.remove(path);
    case "copy":
      return draft.copy(tokensOf(operation.from), path);
    case "move":
      return move(draft, tokensOf(operation.from), path);
    case "test":
      return test(draft, path, valueOf(operation.value));
    default:
      return refusePatch("an operation must be add, remove, replace, move, copy or test");
  }
}

function move(draft: PatchDraft, from: readonly string[], to: readonly string[]): void {
  draft.get(from);
  const inside = from.every((token, depth) => token === to[depth]);
  if (inside && from.length < to.length) refusePatch("a value cannot be moved into itself");
  if (inside) return;
  draft.move(from, to);
}

function test(draft: PatchDraft, path: readonly string[], expected: Json): void {
  if (!isSame(draft.get(path), expected)) refusePatch("a test found another value");
}

// Pages load this: `jsonEqual` is quicker with wide objects, and larger.
function isSame(left: unknown, right: unknown): boolean {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return left === right;
  const [members, others] = [presentMembers(left), presentMembers(right)];
  if (Array.isArray(left) !== Array.isArray(right) || members.size !== others.size) return false;
  for (const [key, value] of members) if (!isSame(value, others.get(key))) return false;
  return true;
}

function presentMembers(value: object): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(value).filter(([, member]) => member !== undefined));
}

// The types promise what follows; a patch read without a parser may break the promise.

function tokensOf(pointer: unknown): readonly string[] {
  return typeof pointer === "string"
    ? parsePointer(pointer)
    : refusePatch("a pointer must be text");
}

function valueOf(value: Json | undefined): Json {
  return value === undefined ? refusePatch("an operation lacks its value") : value;
}
