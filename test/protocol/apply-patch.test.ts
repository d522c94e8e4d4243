import {
  applyBoundedPatch,
  applyPatch,
  type Json,
  type JsonPatchOperation,
} from "turnkeep/protocol";
import fastJsonPatch from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "./deep-freeze.ts";
import { PATCHES_THAT_APPLY } from "./patches-that-apply.ts";
import { PATCHES_TO_REFUSE } from "./patches-to-refuse.ts";
import { prototypeFingerprint } from "./prototype-fingerprint.ts";
import { refusalOf } from "./refusal-of.ts";

describe("applyPatch", () => {
  it.each(PATCHES_THAT_APPLY)("%s", (...[, document, patch, result]) => {
    deepFreeze(document);
    deepFreeze(patch);
    expect(applyPatch(document, patch)).toStrictEqual(result);
  });

  it.each(PATCHES_THAT_APPLY)(
    "agrees with fast-json-patch where it %s",
    (...[, document, patch, result]) => {
      const theirs = fastJsonPatch.applyPatch(
        structuredClone(document),
        structuredClone(patch) as fastJsonPatch.Operation[],
        true,
      );
      expect(theirs.newDocument).toStrictEqual(result);
    },
  );

  it.each(PATCHES_TO_REFUSE)("refuses %s", (_name, document, patch) => {
    const before = JSON.stringify(document);
    const prototypes = prototypeFingerprint();
    deepFreeze(document);
    const error = refusalOf(() => applyPatch(document, patch as JsonPatchOperation[]));
    expect(error).toMatchObject({ status: "INVALID_ARGUMENT", reason: "PATCH_REFUSED" });
    expect(JSON.stringify(document)).toBe(before);
    expect(prototypeFingerprint()).toBe(prototypes);
  });

  it("shares every untouched part with the document", () => {
    const document = { a: { deep: [1] }, b: { c: { d: 1 }, e: [{}] }, f: [[1], [2]] };
    const result = applyPatch(document, [
      { op: "replace", path: "/b/c/d", value: 2 },
      { op: "add", path: "/f/1/-", value: 3 },
    ]) as typeof document;
    expect(result.a).toBe(document.a);
    expect(result.b.e).toBe(document.b.e);
    expect(result.f[0]).toBe(document.f[0]);
    expect(result).toStrictEqual({
      a: { deep: [1] },
      b: { c: { d: 2 }, e: [{}] },
      f: [[1], [2, 3]],
    });
  });

  it("gives back the very document when a patch only tests", () => {
    const document = { a: [1] };
    expect(applyPatch(document, [{ op: "test", path: "/a", value: [1] }])).toBe(document);
  });

  it("treats names of inherited members as plain data", () => {
    const prototypes = prototypeFingerprint();
    const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];
    const patch = names.flatMap((name): JsonPatchOperation[] => [
      { op: "add", path: `/${name}`, value: { polluted: 0 } },
      { op: "replace", path: `/${name}/polluted`, value: 1 },
      { op: "test", path: `/${name}`, value: { polluted: 1 } },
      { op: "copy", from: `/${name}`, path: `/${name}/copy` },
    ]);
    const result = applyPatch(deepFreeze({}), patch) as Record<string, Json>;
    expect(Object.keys(result)).toStrictEqual(names);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(JSON.stringify(result["__proto__"])).toBe('{"polluted":1,"copy":{"polluted":1}}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    const emptied = applyPatch(
      result,
      names.map((name) => ({ op: "remove", path: `/${name}` })),
    );
    expect(Object.keys(emptied as object)).toStrictEqual([]);
    expect(prototypeFingerprint()).toBe(prototypes);
  });

  it("counts an undefined member as absent", () => {
    const document = { a: undefined, b: 1 };
    expect(() => applyPatch(document, [{ op: "remove", path: "/a" }])).toThrow("leads to nothing");
    expect(applyPatch(document, [{ op: "add", path: "/a", value: 2 }])).toStrictEqual({
      a: 2,
      b: 1,
    });
  });

  it("repeats nothing of the patch or the document in its errors", () => {
    const canary = "hunter2";
    const patches: JsonPatchOperation[][] = [
      [{ op: "remove", path: `/${canary}` }],
      [{ op: "test", path: "/secret", value: canary }],
      [{ op: "add", path: canary, value: 1 }],
      [{ op: canary as "remove", path: "/secret" }],
    ];
    for (const patch of patches) {
      const error = refusalOf(() => applyPatch({ secret: "hunter3" }, patch));
      expect(JSON.stringify([error.message, error.details])).not.toContain("hunter");
    }
  });

  it("stays linear for a long patch on one large array", () => {
    // Copied for every operation, the array would be more than a terabyte: that would not end in the time of a test.
    const length = 400_000;
    const document: Json = Array.from({ length }, (_, index) => index);
    const patch = Array.from({ length }, (_, index): JsonPatchOperation => {
      return { op: "replace", path: `/${index}`, value: -index };
    });
    expect(applyPatch(document, patch)).toHaveLength(length);
  });

  it("takes many copies of copies without growing in memory", () => {
    const patch: JsonPatchOperation[] = [];
    for (let round = 0; round < 60; round += 1) {
      patch.push(
        { op: "copy", from: "", path: "/left" },
        { op: "copy", from: "/left", path: "/right" },
      );
    }
    expect(Object.keys(applyPatch({ leaf: 1 }, patch) as object)).toHaveLength(3);
  });

  it("refuses a patch as soon as it has added more characters than it may", () => {
    const bomb: JsonPatchOperation[] = [];
    for (let round = 0; round < 60; round += 1) bomb.push({ op: "copy", from: "", path: "/again" });
    const doubling: JsonPatchOperation[] = [];
    for (let round = 0; round < 60; round += 1) {
      doubling.push({ op: "copy", from: "/list", path: "/list/-" });
    }
    const long: JsonPatchOperation = { op: "add", path: "/text", value: "x".repeat(1001) };
    const limits = { maxAddedCharacters: 1000 };
    for (const patch of [bomb, doubling, [long], [{ ...long, op: "replace" as const }]]) {
      const document = { list: ["a text of some length"], text: "" };
      const error = refusalOf(() => applyBoundedPatch(document, patch, limits));
      expect(error).toMatchObject({ status: "INVALID_ARGUMENT", reason: "PATCH_REFUSED" });
      expect(error.message).toContain("1000 characters");
    }
  });

  it("counts neither what is there already nor what is moved", () => {
    const document = { left: "x".repeat(5000) };
    const there: JsonPatchOperation[] = [
      { op: "move", from: "/left", path: "/right" },
      { op: "add", path: "/text", value: "x".repeat(998) },
      { op: "remove", path: "/right" },
    ];
    expect(applyBoundedPatch(document, there, { maxAddedCharacters: 1000 })).toEqual({
      text: "x".repeat(998),
    });
  });

  it("refuses to copy what moves have made too deep to be counted", () => {
    const patch: JsonPatchOperation[] = [];
    for (let level = 0; level < 20_000; level += 1) {
      patch.push(
        { op: "add", path: "/next", value: {} },
        { op: "move", from: "/deep", path: "/next/deep" },
        { op: "move", from: "/next", path: "/deep" },
      );
    }
    patch.push({ op: "copy", from: "/deep", path: "/again" });
    const limits = { maxAddedCharacters: 1_000_000 };
    expect(refusalOf(() => applyBoundedPatch({ deep: {} }, patch, limits)).reason).toBe(
      "PATCH_REFUSED",
    );
  });
});
