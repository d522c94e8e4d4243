import {
  applyPatch,
  diffJson,
  formatPointer,
  type Json,
  jsonEqual,
  type JsonPatchOperation,
  parsePointer,
  patchOrReplace,
  TurnkeepError,
} from "turnkeep/protocol";
import fc from "fast-check";
import fastJsonPatch from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { canonicalText } from "./canonical-text.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { nastyJson, nastyPair } from "./nasty-json.ts";
import { prototypeFingerprint } from "./prototype-fingerprint.ts";
import { randomPatch, type PatchSeed } from "./random-patch.ts";

// Generous: these run for long on a busy machine.
const TIMEOUT_MS = 240_000;

const INHERITED_KEY = /__proto__|constructor|prototype|toString/;

function applyTheirs(document: Json, patch: readonly JsonPatchOperation[]): Json {
  const operations = copyOf(patch) as fastJsonPatch.Operation[];
  return fastJsonPatch.applyPatch(copyOf(document), operations, true).newDocument as Json;
}

function copyOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function withReversedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(withReversedKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(
    entries.map(([key, member]) => [key, member && withReversedKeys(member)]),
  );
}

function errorOf(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

function checkPair(before: Json, after: Json): JsonPatchOperation[] {
  deepFreeze(before);
  deepFreeze(after);
  const wanted = canonicalText(after);
  const patch = diffJson(before, after);
  if (canonicalText(applyPatch(before, patch)) !== wanted) throw new Error("diffJson went wrong");
  const shorter = patchOrReplace(before, after);
  if (canonicalText(applyPatch(before, shorter)) !== wanted) throw new Error("patchOrReplace too");
  if (JSON.stringify(shorter).length > JSON.stringify(patch).length) throw new Error("not shorter");
  if ((patch.length === 0) !== jsonEqual(before, after)) throw new Error("jsonEqual disagrees");
  if (jsonEqual(before, after) !== (canonicalText(before) === wanted)) throw new Error("unequal");
  return patch;
}

describe("JSON Patch on generated documents", () => {
  it(
    "turns before into after, 100,000 times, and fast-json-patch agrees",
    { timeout: TIMEOUT_MS },
    () => {
      const prototypes = prototypeFingerprint();
      const pair = fc.oneof(nastyPair({ inherited: true }), nastyPair({ inherited: false }));
      let agreed = 0;
      const property = fc.property(pair, ([before, after]) => {
        const patch = checkPair(before, after);
        const wanted = canonicalText(after);
        // The other library takes no names of inherited members.
        if (INHERITED_KEY.test(canonicalText(before) + wanted)) return;
        if (canonicalText(applyTheirs(before, patch)) !== wanted) throw new Error("they disagree");
        agreed += 1;
      });
      fc.assert(property, { numRuns: 100_000 });
      expect(agreed).toBeGreaterThan(50_000);
      expect(prototypeFingerprint()).toBe(prototypes);
    },
  );

  it(
    "applies 20,000 random patches of all six operations as fast-json-patch does",
    { timeout: TIMEOUT_MS },
    () => {
      const seeds = fc.array(
        fc.record<PatchSeed>({
          kind: fc.nat(),
          place: fc.nat(),
          source: fc.nat(),
          value: nastyJson({ inherited: false }),
        }),
        { minLength: 1, maxLength: 6 },
      );
      const used = new Set<string>();
      const property = fc.property(nastyJson({ inherited: false }), seeds, (document, list) => {
        deepFreeze(document);
        const patch = deepFreeze(randomPatch(document, list, applyTheirs));
        for (const { op } of patch) used.add(op);
        const theirs = applyTheirs(document, patch);
        const ours = applyPatch(document, patch);
        if (canonicalText(ours) !== canonicalText(theirs)) throw new Error("they disagree");
      });
      fc.assert(property, { numRuns: 20_000 });
      expect([...used].toSorted()).toStrictEqual([
        "add",
        "copy",
        "move",
        "remove",
        "replace",
        "test",
      ]);
    },
  );

  it("never changes a document or a prototype by a patch of noise", { timeout: TIMEOUT_MS }, () => {
    const prototypes = prototypeFingerprint();
    const token = fc.constantFrom("", "0", "1", "-", "a", "__proto__", "constructor", "prototype");
    const pointer = fc.oneof(
      fc.array(token, { maxLength: 4 }).map((tokens) => formatPointer(tokens)),
      fc.string({ maxLength: 6 }),
    );
    const operation = fc.record({
      op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "none"),
      path: pointer,
      from: pointer,
      value: nastyJson({ inherited: true }),
    });
    const patch = fc.array(operation, { maxLength: 5 });
    const property = fc.property(nastyJson({ inherited: true }), patch, (document, operations) => {
      deepFreeze(document);
      const error = errorOf(() => applyPatch(document, operations as JsonPatchOperation[]));
      expect([undefined, "PATCH_REFUSED"]).toContain(
        TurnkeepError.is(error) ? error.reason : error,
      );
    });
    fc.assert(property, { numRuns: 30_000 });
    expect(prototypeFingerprint()).toBe(prototypes);
  });

  it("gives the same patch whatever order members were written in", { timeout: TIMEOUT_MS }, () => {
    const property = fc.property(nastyPair({ inherited: false }), ([before, after]) => {
      const patch = canonicalText(diffJson(before, after));
      const reversed = diffJson(withReversedKeys(before), withReversedKeys(after));
      if (canonicalText(reversed) !== patch) throw new Error("another patch");
    });
    fc.assert(property, { numRuns: 20_000 });
  });

  it("reads back every pointer it writes", () => {
    const property = fc.property(fc.array(fc.string()), (tokens) => {
      expect(parsePointer(formatPointer(tokens))).toStrictEqual(tokens);
    });
    fc.assert(property, { numRuns: 5000 });
  });
});
