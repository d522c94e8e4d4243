import type { Json } from "../json.ts";
import { ANSWER_LIMITS } from "../limits.ts";
import { isReservedKey, objectAt } from "../schema/containers.ts";
import { freeJson } from "../schema/free-json.ts";
import { listOf } from "../schema/list-of.ts";
import { objectOf, required } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import type { Place } from "../schema/place.ts";
import type { Reader } from "../schema/reader.ts";
import { nameFrom, text } from "../schema/scalars.ts";
import { findPointerTokens, POINTER_RULE } from "./json-pointer.ts";

/** One operation of an RFC 6902 patch. */
export type JsonPatchOperation = ValueOperation | RemoveOperation | SourceOperation;

type ValueOperation = {
  readonly op: "add" | "replace" | "test";
  readonly path: string;
  readonly value: Json;
};

type RemoveOperation = {
  readonly op: "remove";
  readonly path: string;
};

type SourceOperation = {
  readonly op: "copy" | "move";
  readonly from: string;
  readonly path: string;
};

const withValue = objectOf<ValueOperation>({
  op: required(nameFrom(["add", "replace", "test"])),
  path: required(pointer),
  value: required(freeJson),
});

const withPathOnly = objectOf<RemoveOperation>({
  op: required(nameFrom(["remove"])),
  path: required(pointer),
});

const withSource = objectOf<SourceOperation>({
  op: required(nameFrom(["copy", "move"])),
  from: required(pointer),
  path: required(pointer),
});

const READERS: { readonly [Op in JsonPatchOperation["op"]]: Reader<JsonPatchOperation> } = {
  add: withValue,
  remove: withPathOnly,
  replace: withValue,
  move: withSource,
  copy: withSource,
  test: withValue,
};

const readOp = nameFrom(Object.keys(READERS) as JsonPatchOperation["op"][]);

/** Reads the operations of a patch; they are well formed, but need not fit any document. */
export const readJsonPatch: Reader<readonly JsonPatchOperation[]> = listOf((value, place) => {
  const { op } = objectAt(value, place);
  return READERS[readOp(op, place.field("op"))](value, place);
});

/** Parses a patch, as a server sends it. The operations are well formed, but need not fit any document. */
export const parseJsonPatch: Parser<readonly JsonPatchOperation[]> = parserOf(
  "patch",
  readJsonPatch,
  ANSWER_LIMITS,
);

function pointer(value: unknown, place: Place): string {
  const result = text(value, place);
  const tokens = findPointerTokens(result);
  if (tokens === undefined) place.refuse(POINTER_RULE);
  if (tokens.some(isReservedKey)) place.refuse("free of reserved names");
  return result;
}
