import { type Json, jsonEqual } from "turnkeep/protocol";
import { describe, expect, it } from "vitest";

const large = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, [index]]));
const largeReversed = Object.fromEntries(Object.entries(structuredClone(large)).toReversed());

describe("jsonEqual", () => {
  it.each<[string, Json, Json]>([
    ["objects in another order", { a: 1, b: [2] }, { b: [2], a: 1 }],
    ["large objects in another order", large, largeReversed],
    ["an undefined member and none", { a: 1, b: undefined }, { a: 1 }],
    ["undefined members of other names", { a: undefined }, { b: undefined }],
    [
      "an object without a prototype",
      Object.assign(Object.create(null) as object, { a: 1 }),
      { a: 1 },
    ],
    ["zero and minus zero", 0, -0],
  ])("holds %s equal", (_name, left, right) => {
    expect(jsonEqual(left, right)).toBe(true);
    expect(jsonEqual(right, left)).toBe(true);
  });

  it.each<[string, Json, Json]>([
    ["a number and its text", 1, "1"],
    ["null and an object", null, {}],
    ["an array and an object", [], {}],
    ["arrays of other length", [1], [1, 2]],
    ["arrays in another order", [1, 2], [2, 1]],
    ["a member more", { a: 1 }, { a: 1, b: 2 }],
    ["a member of another name", { a: 1 }, { b: 1 }],
    ["large objects with one difference", large, { ...largeReversed, k7: 1 }],
    ["large objects of other size", large, { ...large, more: 1 }],
    ["an inherited member", {}, JSON.parse('{"__proto__":{}}') as Json],
    ["an inherited method", { a: 1 }, { toString: 1 }],
  ])("holds %s apart", (_name, left, right) => {
    expect(jsonEqual(left, right)).toBe(false);
    expect(jsonEqual(right, left)).toBe(false);
  });
});
