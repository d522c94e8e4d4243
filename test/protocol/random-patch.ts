import {
  formatPointer,
  type Json,
  type JsonObject,
  type JsonPatchOperation,
} from "turnkeep/protocol";

/** What one random operation is made of: numbers that pick, and a value to use. */
export type PatchSeed = {
  readonly kind: number;
  readonly place: number;
  readonly source: number;
  readonly value: Json;
};

type Apply = (document: Json, patch: readonly JsonPatchOperation[]) => Json;

/** A patch each of whose operations fits the document as the ones before it left it. */
export function randomPatch(
  document: Json,
  seeds: readonly PatchSeed[],
  apply: Apply,
): JsonPatchOperation[] {
  const patch: JsonPatchOperation[] = [];
  let current = document;
  for (const seed of seeds) {
    const operation = fittingOperation(current, seed);
    current = apply(current, [operation]);
    patch.push(operation);
  }
  return patch;
}

function fittingOperation(document: Json, seed: PatchSeed): JsonPatchOperation {
  const places = placesIn(document, []);
  const place = pick(places, seed.place);
  const path = formatPointer(place.tokens);
  const addPath = formatPointer(pick(gapsIn(places), seed.place));
  const from = formatPointer(pick(places, seed.source).tokens);
  switch (seed.kind % 6) {
    case 0:
      return { op: "add", path: addPath, value: seed.value };
    case 1:
      return { op: "replace", path, value: seed.value };
    case 2:
      return path === "" ? { op: "add", path, value: seed.value } : { op: "remove", path };
    case 3:
      return { op: "test", path, value: place.value };
    case 4:
      return { op: "copy", from, path: addPath };
    default:
      // A target outside the source exists whatever is taken away: a member of the root object, or the root.
      return { op: "move", from, path: isObject(document) && from !== "" ? "/moved" : from };
  }
}

type PlaceInDocument = { readonly tokens: readonly string[]; readonly value: Json };

function placesIn(value: Json, tokens: readonly string[]): readonly PlaceInDocument[] {
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const below = members.flatMap(([key, member]) => placesIn(member as Json, [...tokens, key]));
  return [{ tokens, value }, ...below];
}

function gapsIn(places: readonly PlaceInDocument[]): readonly (readonly string[])[] {
  return places.flatMap(({ tokens, value }) => {
    if (Array.isArray(value)) {
      return ["-", "0", String(value.length)].map((token) => [...tokens, token]);
    }
    return isObject(value)
      ? [
          [...tokens, "new"],
          [...tokens, "~/"],
        ]
      : [tokens].filter(isRoot);
  });
}

function isRoot(tokens: readonly string[]): boolean {
  return tokens.length === 0;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function pick<Item>(items: readonly Item[], number: number): Item {
  return items[number % items.length]!;
}
