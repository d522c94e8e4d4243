import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "../../src/agent/canonical-json.ts";
import { type Json, jsonEqual } from "../../src/protocol/index.ts";

const json = fc.jsonValue({ stringUnit: "binary" }) as fc.Arbitrary<Json>;

test("canonical text is JSON that says the same", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("canonical text is the same for equal values, and for those only", () => {
  expect(canonicalJson({ b: [1, { d: -0, c: "é\ud800" }], a: undefined })).toBe(
    '{"b":[1,{"c":"é\\ud800","d":0}]}',
  );
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(canonicalJson(one) === canonicalJson(other)).toBe(jsonEqual(one, other));
    }),
  );
});
