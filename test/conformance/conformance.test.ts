import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { createTestPlace, TEST_PLACES } from "../support/places/test-places.ts";
import { playCase } from "./play-case.ts";
import { readSpec } from "./read-spec.ts";

const CASES = readSpec(readFileSync(resolve(import.meta.dirname, "own-cases.yaml"), "utf8"));

describe.each(TEST_PLACES)("over %s", (store) => {
  for (const listed of CASES) {
    test(listed.name, async () => {
      expect(await playCase(listed, () => createTestPlace(store))).toEqual([]);
    });
  }
});
