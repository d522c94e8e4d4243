import { assertJson, type Json } from "turnkeep/protocol";
import { describe, expect, it } from "vitest";
import { refusalOf } from "./refusal-of.ts";

class Instance {
  readonly a = 1;
}

const shared = { a: 1 };
const cycle: unknown[] = [];
cycle.push({ cycle });

describe("assertJson", () => {
  it.each<[string, unknown]>([
    ["null", null],
    ["an empty string", ""],
    ["minus zero", -0],
    ["a nested value", { a: [1, { b: null }], c: false }],
    ["an undefined member", { a: undefined }],
    ["an object without prototype", Object.create(null)],
    ["a key named constructor", { constructor: 1 }],
    ["an own key named __proto__", JSON.parse('{"__proto__":{"a":1}}')],
    ["a lone surrogate", "\ud800"],
    ["the same object twice", [shared, { shared }]],
  ])("takes %s", (_name, value) => {
    assertJson(value);
    const json: Json = value;
    expect(json).toBe(value);
  });

  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["undefined in an array", [undefined]],
    ["a hole in an array", Array(3)],
    ["a function", () => 1],
    ["a method", { toJSON: () => 1 }],
    ["a symbol", Symbol("s")],
    ["NaN", Number.NaN],
    ["infinity", { a: Number.NEGATIVE_INFINITY }],
    ["a bigint", 1n],
    ["a date", new Date(0)],
    ["a map", new Map()],
    ["bytes", new Uint8Array(1)],
    ["a boxed string", Object("text")],
    ["an instance", { a: [new Instance()] }],
    ["an object that inherits", Object.create({ a: 1 })],
    ["a promise", Promise.resolve(1)],
    ["a cycle", cycle],
  ])("refuses %s", (_name, value) => {
    expect(refusalOf(() => assertJson(value)).status).toBe("INVALID_ARGUMENT");
  });

  it("takes its limits from the caller", () => {
    expect(() => assertJson([[1]], { depth: 1 })).toThrow("value… must be within 1 levels");
    expect(() => assertJson([1, 2], { nodes: 2 })).toThrow("at most 2 values");
    expect(() => assertJson("abc", { stringBytes: 2 })).toThrow("strings over 2 bytes");
    expect(() => assertJson({ abc: 1 }, { stringBytes: 2 })).toThrow("strings over 2 bytes");
  });
});
